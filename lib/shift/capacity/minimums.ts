import type { KubernetesObject } from '../../core/kubernetes/api';
import { rolloutKind } from '../../core/kubernetes/api';
import type { ObjectKind, ObjectReference } from '../../core/kubernetes/api';
import { capacityAnnotation, capacityFieldManager } from '../../core/names';
import { isPlainObject } from '../../core/validation/problems';

/** What makes the pods. */
export type WorkloadKind = 'deployment' | 'statefulset' | 'rollout';

/** Where the least number of pods is set: by an autoscaler, or by the workload itself. */
export type MinimumKind = 'hpa' | 'scaledobject' | WorkloadKind;

/** Where a kind of object keeps its minimum. */
interface MinimumField extends ObjectKind {
  /** Field of `spec`. */
  readonly field: string;
  /** What holds where the field is unset. */
  readonly unset: number;
}

const workloadField = { field: 'replicas', unset: 1 } as const;

/**
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
 * @see https://keda.sh/docs/latest/reference/scaledobject-spec/
 */
export const minimumFields: Readonly<Record<MinimumKind, MinimumField>> = {
  hpa: {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    field: 'minReplicas',
    unset: 1,
  },
  scaledobject: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', field: 'minReplicaCount', unset: 0 },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment', ...workloadField },
  statefulset: { apiVersion: 'apps/v1', kind: 'StatefulSet', ...workloadField },
  rollout: { ...rolloutKind, ...workloadField },
};

/** One object with a minimum. */
export interface MinimumPlace {
  readonly kind: MinimumKind;
  readonly namespace: string;
  readonly name: string;
}

/** How the API server names the object. */
export function referenceOf({ kind, namespace, name }: MinimumPlace): ObjectReference {
  const { apiVersion, kind: word } = minimumFields[kind];
  return { apiVersion, kind: word, metadata: { namespace, name } };
}

/** `hpa shop/web` */
export function placeText({ kind, namespace, name }: MinimumPlace): string {
  return `${kind} ${namespace}/${name}`;
}

/** A workload, with the same id in every cluster: `deployment/shop/web`. */
export function workloadId({ kind, namespace, name }: MinimumPlace): string {
  return `${kind}/${namespace}/${name}`;
}

/** The key of a record: the workload, and what scales it where that is another object. */
export function recordKey(workload: MinimumPlace, scaler: MinimumPlace): string {
  const id = workloadId(workload);
  if (scaler.kind === workload.kind) {
    return id;
  }
  return scaler.name === workload.name ? `${id}@${scaler.kind}` : `${id}@${scaler.kind}/${scaler.name}`;
}

const keyForm =
  /^(?<id>(?<kind>deployment|statefulset|rollout)\/(?<namespace>[^/@]+)\/(?<name>[^/@]+))(@(?<by>hpa|scaledobject)(\/(?<other>[^/@]+))?)?$/;

/** The object that a record's key names, and the workload; undefined for what is no key. */
export function readRecordKey(
  key: string,
): { readonly id: string; readonly place: MinimumPlace } | undefined {
  const { id, kind, namespace, name, by, other } = keyForm.exec(key)?.groups ?? {};
  return id === undefined
    ? undefined
    : {
        id,
        place: { kind: (by ?? kind) as MinimumKind, namespace: namespace!, name: other ?? name! },
      };
}

/** What shifts have noted on an object whose minimum they raised. */
export interface CapacityMark {
  /** The minimum before the first of them. */
  readonly minimum: number | null;
  /** What each needs, by its name. */
  readonly raised: Readonly<Record<string, number>>;
}

/** What an object says of its minimum. */
export interface MinimumState {
  /** `null` where the field is unset. */
  readonly minimum: number | null;
  /** What holds where it is unset. */
  readonly unset: number;
  /** @default - no shift has raised it */
  readonly mark?: CapacityMark;
}

/** A write: the minimum, where it changes, and the note; `null` takes a field away. */
export interface MinimumChange {
  readonly minimum?: number | null;
  readonly mark: CapacityMark | null;
}

/** Reads an object. A note that can't be read is none. */
export function minimumState(object: KubernetesObject, kind: MinimumKind): MinimumState {
  const { field, unset } = minimumFields[kind];
  const minimum = isPlainObject(object.spec) ? object.spec[field] : undefined;
  const mark = readMark(object.metadata.annotations?.[capacityAnnotation]);
  return { minimum: typeof minimum === 'number' ? minimum : null, unset, ...(mark && { mark }) };
}

function readMark(text: string | undefined): CapacityMark | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
  const { minimum, raised } = isPlainObject(value) ? value : {};
  const isMark =
    (minimum === null || isCount(minimum)) &&
    isPlainObject(raised) &&
    Object.keys(raised).length > 0 &&
    Object.values(raised).every(isCount);
  return isMark ? (value as CapacityMark) : undefined;
}

/** No cluster runs more of one workload. */
const mostOfOne = 100_000;

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= mostOfOne;
}

/** The least number of pods that holds now. */
export function heldMinimum({ minimum, unset }: MinimumState): number {
  return minimum ?? unset;
}

/** The minimum before any shift: the note's, as long as the minimum is what the note explains. */
export function minimumBefore(
  state: MinimumState,
  recorded?: readonly [number | null, number, number],
): number | null {
  const held = heldMinimum(state);
  if (state.mark && isExplained(state)) {
    return state.mark.minimum;
  }
  // A note may be lost while the minimum stays: what was written is no minimum of the owner.
  const isOurs = recorded !== undefined && recorded[2] === held && recorded[0] !== recorded[2];
  return isOurs ? recorded[0] : state.minimum;
}

/** Whether another process has lowered what this shift wrote. */
export function isReverted(state: MinimumState, by: string): boolean {
  return (
    state.mark !== undefined &&
    Object.hasOwn(state.mark.raised, by) &&
    heldMinimum(state) < mostRaised(state.mark)
  );
}

/**
 * What has to be written so that there are at least `target` pods, as long as this shift or another one needs them.
 *
 * @param by which shift it is
 * @param recorded what the shift's record says of the object
 * @returns undefined where nothing has to be written
 */
export function raisedMinimum(
  state: MinimumState,
  by: string,
  target: number,
  recorded?: readonly [number | null, number, number],
): { readonly minimum: number; readonly mark: CapacityMark } | undefined {
  const held = heldMinimum(state);
  const { mark } = state;
  const isKept = mark !== undefined && isExplained(state);
  // What another process has changed since is no longer what the others asked for: each of them looks again.
  const { [by]: own = -1, ...others } = isKept ? mark.raised : {};
  const before = minimumBefore(state, recorded);
  const enough = isKept ? Math.max(own, before ?? state.unset) : held;
  if (enough >= target) {
    return undefined;
  }
  const raised = { ...others, [by]: Math.max(own, target) };
  return { minimum: Math.max(held, target), mark: { minimum: before, raised } };
}

/**
 * What has to be written to give back what a shift has raised.
 *
 * @param recorded what the shift's record says: the minimum before, pods at the origin, the minimum written
 * @returns undefined where nothing of it is left
 */
export function restoredMinimum(
  state: MinimumState,
  by: string,
  [before, , written]: readonly [number | null, number, number],
): MinimumChange | undefined {
  const { mark } = state;
  if (!mark) {
    // A shift only raises: whatever else a record says is of another hand.
    const isRaised = (before ?? state.unset) < written;
    return heldMinimum(state) === written && isRaised ? { minimum: before, mark: null } : undefined;
  }
  if (!Object.hasOwn(mark.raised, by)) {
    return undefined;
  }
  const { [by]: _own, ...others } = mark.raised;
  const needed = Object.values(others);
  const left = needed.length > 0 ? { ...mark, raised: others } : null;
  if (!isExplained(state)) {
    // Whoever has changed it since meant that.
    return { mark: left };
  }
  const minimum = left ? Math.max(mark.minimum ?? state.unset, ...needed) : mark.minimum;
  return { minimum, mark: left };
}

/** The merge patch of a change. It is refused where the object has changed since it was read. */
export function minimumPatch(object: KubernetesObject, kind: MinimumKind, change: MinimumChange): object {
  const { minimum, mark } = change;
  return {
    metadata: {
      resourceVersion: object.metadata.resourceVersion,
      annotations: { [capacityAnnotation]: mark && JSON.stringify(mark) },
    },
    ...(minimum !== undefined && { spec: { [minimumFields[kind].field]: minimum } }),
  };
}

/** Whose the minimum is by the object's managed fields, where it is not a shift's. */
export function otherManager(object: KubernetesObject, kind: MinimumKind): string | undefined {
  const { managedFields } = object.metadata;
  const owners = (Array.isArray(managedFields) ? managedFields : []).filter((entry: unknown) => {
    const fields =
      isPlainObject(entry) && isPlainObject(entry.fieldsV1) ? entry.fieldsV1['f:spec'] : undefined;
    return isPlainObject(fields) && Object.hasOwn(fields, `f:${minimumFields[kind].field}`);
  }) as { readonly manager?: string; readonly time?: string }[];
  return owners
    .filter(({ manager }) => typeof manager === 'string' && manager !== capacityFieldManager)
    .sort(({ time: one = '' }, { time: other = '' }) => (one > other ? -1 : 1))[0]?.manager;
}

/** Whether the minimum is what the note's shifts need, no more and no less. */
function isExplained(state: MinimumState): boolean {
  const { mark } = state;
  return mark !== undefined && heldMinimum(state) === Math.max(mostRaised(mark), mark.minimum ?? state.unset);
}

function mostRaised({ raised }: CapacityMark): number {
  return Math.max(...Object.values(raised));
}
