import type { KubernetesObject } from '../../core/kubernetes/api';
import { historyAnnotation, totalAnnotation } from '../../core/names';
import { revisionOf, wantedReplicas } from './rollout';
import type { Condition, Pod, ObservedRollout } from './rollout';

/** A day in milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** The earlier restarts of a Rollout. */
export interface RestartHistory {
  /** Times of those of about the last day, the oldest first. */
  readonly times: readonly Date[];
  /** How many there were in all. */
  readonly total: number;
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** What the annotations say; `undefined` where they can't be read, so that counting does not start from zero again. */
export function restartHistory({ metadata }: KubernetesObject): RestartHistory | undefined {
  const { [historyAnnotation]: text = '', [totalAnnotation]: count } = metadata.annotations ?? {};
  const texts = text === '' ? [] : text.split(',');
  const times = texts.filter((each) => time.test(each)).map((each) => new Date(each));
  const total = Number(count ?? times.length);
  if (
    times.length < texts.length ||
    times.some((each) => Number.isNaN(each.getTime())) ||
    !Number.isSafeInteger(total) ||
    total < 0
  ) {
    return undefined;
  }
  return { times: times.sort((one, other) => one.getTime() - other.getTime()), total };
}

/** The annotations after one more restart. What is older than a day is left out. */
export function withRestart(history: RestartHistory, now: Date): Record<string, string> {
  const times = [...history.times.filter((each) => now.getTime() - each.getTime() < day), now];
  return {
    [historyAnnotation]: times.map(rfc3339).join(),
    [totalAnnotation]: String(history.total + 1),
  };
}

/** A time as Kubernetes writes it, in whole seconds. */
export function rfc3339(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** What keeps restarts from becoming a loop, and from taking a Rollout away. */
export interface RestartLimits {
  /**
   * Time between two restarts of a Rollout, in milliseconds.
   *
   * @default 1800000 - half an hour: three times the progress deadline that Argo Rollouts has by default
   */
  readonly coolDown: number;
  /** How often a Rollout is restarted within 24 hours. @default 3 - what does not help three times does not help */
  readonly perDay: number;
  /**
   * How many pods a Rollout must want. With one, it has none while that one is replaced.
   *
   * @default 2 - no restart takes the last pod away
   */
  readonly minReplicas: number;
}

/** The default limits. */
export const defaultRestartLimits: RestartLimits = { coolDown: 30 * 60 * 1000, perDay: 3, minReplicas: 2 };

/** What is missing at the pods of a Rollout, in words; unset where all of them are there and available. */
function missingPods(rollout: ObservedRollout, pods: readonly Pod[], now: Date): string | undefined {
  const own = pods.filter(
    (pod) => revisionOf(pod, rollout) !== undefined && pod.metadata.deletionTimestamp === undefined,
  );
  const waiting = own.filter((pod) => !isAvailable(pod, rollout.spec?.minReadySeconds ?? 0, now));
  if (waiting.length > 0) {
    return `${waiting.length} of ${own.length} pods are not available`;
  }
  const wanted = wantedReplicas(rollout);
  if (own.length < wanted) {
    return `${own.length} of ${wanted} pods are there`;
  }
  const current = rollout.status?.currentPodHash;
  const updated = own.filter((pod) => revisionOf(pod, rollout) === current).length;
  const due = dueUpdated(rollout);
  return updated < due ? `${updated} of ${due} pods are of the newest revision` : undefined;
}

/**
 * How many pods must be of the newest revision for the step that the Rollout is at. Old pods that are available say
 * nothing about an update whose pods are refused.
 */
function dueUpdated(rollout: ObservedRollout): number {
  const { spec, status } = rollout;
  const wanted = wantedReplicas(rollout);
  const steps = spec?.strategy?.canary?.steps ?? [];
  const at = status?.currentStepIndex ?? steps.length;
  const promoted = status?.stableRS !== undefined && status.stableRS === status.currentPodHash;
  // With a scale of its own, the number of canary pods has nothing to do with the weight.
  if (promoted || at >= steps.length || steps.some(({ setCanaryScale }) => setCanaryScale !== undefined)) {
    return wanted;
  }
  const weight =
    steps
      .slice(0, at + 1)
      .flatMap(({ setWeight }) => setWeight ?? [])
      .at(-1) ?? 0;
  return Math.max(1, Math.floor((wanted * weight) / 100));
}

/** Whether a pod has been ready for long enough, in seconds. */
function isAvailable({ status }: Pod, minReadySeconds: number, now: Date): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') {
    return false;
  }
  const since = Date.parse(ready.lastTransitionTime ?? '');
  return minReadySeconds === 0 || since + minReadySeconds * 1000 <= now.getTime();
}

/**
 * What becomes of a Rollout.
 *
 * - `restart`: it is stuck, and all of its pods are available.
 * - `fine`: it is not degraded.
 * - `changing`: a change is under way already: a restart, a pause, a change that its controller has not seen yet.
 * - `broken`: it is degraded with reason. A restart would not help.
 * - `limited`: it is stuck, and was restarted too often or too recently, or is too small.
 */
export interface RestartDecision {
  /** What is to be done: one of the words above. */
  readonly outcome: 'restart' | 'fine' | 'changing' | 'broken' | 'limited';
  /** Why, for a person. */
  readonly why: string;
  /** Whether waiting may change it: pods that are not available yet. */
  readonly passing?: boolean;
}

/**
 * Whether a Rollout is restarted: only if it is Degraded with `ProgressDeadlineExceeded` while all of its pods are
 * available, which is a state that Argo Rollouts does not always leave on its own.
 *
 * @param pods of its namespace; those of others are passed over
 * @param history `undefined` where it can't be read
 * @param now by the clock of the API server, which wrote all the other times
 * @see https://github.com/argoproj/argo-rollouts/issues/3316
 */
export function restartDecision(
  rollout: ObservedRollout,
  pods: readonly Pod[],
  history: RestartHistory | undefined,
  now: Date,
  limits: RestartLimits = defaultRestartLimits,
): RestartDecision {
  const { status } = rollout;
  if (status?.phase !== 'Degraded') {
    return { outcome: 'fine', why: `its phase is ${status?.phase ?? 'not known'}` };
  }
  const busy = changing(rollout);
  if (busy !== undefined) {
    return { outcome: 'changing', why: busy };
  }
  const failure = otherFailure(rollout);
  if (failure !== undefined) {
    return { outcome: 'broken', why: failure };
  }
  const missing = missingPods(rollout, pods, now);
  if (missing !== undefined) {
    return { outcome: 'broken', why: missing, passing: true };
  }
  const limit = limited(rollout, history, now, limits);
  return limit === undefined
    ? {
        outcome: 'restart',
        why: `Degraded with ProgressDeadlineExceeded, while its ${wantedReplicas(rollout)} pods are available`,
      }
    : { outcome: 'limited', why: limit };
}

function changing({ metadata, spec, status }: ObservedRollout): string | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return 'it is being deleted';
  }
  const { restartAt } = spec ?? {};
  if (restartAt !== undefined && Date.parse(restartAt) !== Date.parse(status?.restartedAt ?? '')) {
    return `a restart at ${restartAt} is under way`;
  }
  if (spec?.paused === true) {
    return 'it is paused by hand';
  }
  // A text that is no number is of an old version, and counts as seen there, too.
  const seen = Number(status?.observedGeneration ?? NaN);
  const generation = metadata['generation'];
  return typeof generation === 'number' && Number.isInteger(seen) && seen < generation
    ? 'its controller has not seen the newest change yet'
    : undefined;
}

/** A cause that is no fault of the controller. */
function otherFailure({ status }: ObservedRollout): string | undefined {
  const conditions = status?.conditions ?? [];
  const found = (fits: (condition: Condition) => boolean): Condition | undefined => conditions.find(fits);
  const failed =
    found(({ type }) => type === 'InvalidSpec') ??
    found(({ reason }) => reason === 'RolloutAborted') ??
    found((each) => each.type === 'ReplicaFailure' && each.status === 'True');
  if (failed !== undefined) {
    return `${failed.reason ?? failed.type ?? ''}: ${failed.message ?? ''}`;
  }
  if (status?.abort === true) {
    return 'its update was aborted';
  }
  return found(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
    ? undefined
    : 'it is degraded for another reason than ProgressDeadlineExceeded';
}

function limited(
  rollout: ObservedRollout,
  history: RestartHistory | undefined,
  now: Date,
  { coolDown, perDay, minReplicas }: RestartLimits,
): string | undefined {
  if (wantedReplicas(rollout) < minReplicas) {
    return `it wants fewer than ${minReplicas} pods`;
  }
  if (history === undefined) {
    return 'the annotations with its earlier restarts can not be read';
  }
  const within = (milliseconds: number) =>
    history.times.filter((each) => now.getTime() - each.getTime() < milliseconds);
  const recent = within(coolDown).at(-1);
  if (recent !== undefined) {
    return `it was restarted at ${rfc3339(recent)}, less than ${coolDown / 1000} s ago`;
  }
  const today = within(day).length;
  return today >= perDay ? `it was restarted ${today} times within a day` : undefined;
}
