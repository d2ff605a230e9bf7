import { missingPods } from './availability';
import type { RestartHistory } from './history';
import { day, rfc3339 } from './history';
import type { RestartLimits } from './limits';
import { usualLimits } from './limits';
import type { Condition, Pod, Rollout } from './rollout';
import { wantedReplicas } from './rollout';

/**
 * What becomes of a Rollout.
 *
 * - `restart`: it is stuck, and all of its pods are available.
 * - `fine`: it is not degraded.
 * - `changing`: somebody is at it already: a restart, a pause, a change that its controller has not seen yet.
 * - `broken`: it is degraded with reason. A restart would help nobody.
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
 * available, which is a state that Argo Rollouts does not always leave by itself.
 *
 * @param pods of its namespace; those of others are passed over
 * @param history `undefined` where it can't be read
 * @param now by the clock of the API server, which wrote all the other times
 * @see https://github.com/argoproj/argo-rollouts/issues/3316
 */
export function restartDecision(
  rollout: Rollout,
  pods: readonly Pod[],
  history: RestartHistory | undefined,
  now: Date,
  limits: RestartLimits = usualLimits,
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

function changing({ metadata, spec, status }: Rollout): string | undefined {
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
function otherFailure({ status }: Rollout): string | undefined {
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
  rollout: Rollout,
  history: RestartHistory | undefined,
  now: Date,
  { coolDown, perDay, leastReplicas }: RestartLimits,
): string | undefined {
  if (wantedReplicas(rollout) < leastReplicas) {
    return `it wants fewer than ${leastReplicas} pods`;
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
