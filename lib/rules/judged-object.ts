import type { ObjectName } from './finding';
import { listItems } from './reading/list-items';

/** An object that is judged. Its fields are what somebody wrote: nothing in it has to be of the right type. */
export interface JudgedObject extends ObjectName {
  /** All of it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Where it comes from. @default - from a program */
  readonly source?: ObjectSource;
}

/** Where an object stands. */
export interface ObjectSource {
  /** Path of the file, as it was given. */
  readonly file: string;
  /** Line of the object's first line, from 1. */
  readonly line: number;
  /** Position of its document in the file, from 0. */
  readonly document: number;
  /** JSON pointer of the object in its document: `''`, or `/items/3` in a List. */
  readonly pointer: string;
  /** Keys that stand in a map where they stood before. @default - none */
  readonly repeatedKeys?: readonly RepeatedKey[];
  /** Line of what a JSON pointer names, or of the nearest field that exists; it may have to read the file again. */
  lineOf(pointer: string): number;
}

/** A key that a map has already. */
export interface RepeatedKey {
  /** The key. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

/** API group of an `apiVersion`: `apps` for `apps/v1`, `''` for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/**
 * An object as rules judge it.
 *
 * @param value what a manifest says
 * @returns nothing where it is no Kubernetes object: without `apiVersion` and `kind` as texts
 */
export function judgedObject(value: unknown, source?: ObjectSource): JudgedObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    return undefined;
  }
  const { name, namespace, generateName }: Readonly<Record<string, unknown>> =
    typeof metadata === 'object' && metadata !== null ? { ...metadata } : {};
  const shown = [name, generateName].find((each): each is string => typeof each === 'string');
  return {
    apiVersion,
    kind,
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    name: shown ?? '',
    value: value as Record<string, unknown>,
    ...(source ? { source } : {}),
  };
}

/** The name of an object, without the rest. */
export function objectName({ apiVersion, kind, namespace, name }: ObjectName): ObjectName {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The objects among some values, items of Lists each by itself: what a cdk8s chart's `toJson()` gives, for example. */
export function judgedObjects(values: readonly unknown[]): JudgedObject[] {
  return values.flatMap((value) => listItems(value)).flatMap(({ value }) => judgedObject(value) ?? []);
}
