import type { KubernetesObject } from '../../../core/kubernetes/api';
import { isPlainObject } from '../../../core/validation/problems';

type Fields = Readonly<Record<string, unknown>>;

/** An object's field that is an object; an empty one where it is none, as everything here comes from outside. */
export function fieldsOf(value: unknown): Fields {
  return isPlainObject(value) ? value : {};
}

/** The objects of a list. */
export function objectsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** A text, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A time as Kubernetes writes it, in milliseconds since 1970; undefined for what is none. */
export function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** A condition by its type. */
export function conditionOf({ status }: KubernetesObject, type: string): Fields | undefined {
  return objectsOf(fieldsOf(status).conditions).find((each) => each.type === type);
}

/** Since when a condition is what it is; else since when there is the object. */
export function sinceOf(object: KubernetesObject, condition: Fields | undefined): number {
  return (
    timeOf(condition?.lastTransitionTime) ??
    timeOf(object.metadata.creationTimestamp) ??
    Number.NEGATIVE_INFINITY
  );
}

/**
 * When an event was last seen. One that repeats is counted in one object: by `count` and `lastTimestamp`, or in a `series`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export function lastSeen(event: KubernetesObject): number | undefined {
  const times = [
    timeOf(fieldsOf(event.series).lastObservedTime),
    timeOf(event.lastTimestamp),
    timeOf(event.eventTime),
    timeOf(event.firstTimestamp),
    timeOf(event.metadata.creationTimestamp),
  ].filter((each) => each !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** When an event was first seen. */
export function firstSeen(event: KubernetesObject): number | undefined {
  return timeOf(event.firstTimestamp) ?? timeOf(event.eventTime) ?? lastSeen(event);
}

/** The object that an event is about. */
export function aboutOf(event: KubernetesObject): {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
} {
  const { kind, namespace, name, uid } = fieldsOf(event.involvedObject);
  return { kind: textOf(kind), namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

/** What is said most often; of those said as often, the last one. */
export function mostSaid(causes: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const cause of causes.filter(Boolean)) {
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return [...counts].reduce<readonly [string, number] | undefined>(
    (most, each) => (most !== undefined && most[1] > each[1] ? most : each),
    undefined,
  )?.[0];
}
