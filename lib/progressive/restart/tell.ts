import type { KubernetesObject, ObjectReference } from '../../kubernetes';
import { isKubernetesError, KubernetesError } from '../../kubernetes';
import type { RestartDecision } from './decision';
import type { RestartApi, RestartRequest, RolloutOutcome } from './request';
import type { Restarter } from './restart-event';
import { restartEvent } from './restart-event';
import type { Rollout } from './rollout';
import { rolloutKind } from './rollout';

/** Says on the Rollouts that were left alone, though they are degraded, why. */
export async function tellLeftAlone(
  api: RestartApi,
  request: RestartRequest,
  outcomes: readonly RolloutOutcome[],
  signal?: AbortSignal,
): Promise<RolloutOutcome[]> {
  const told: RolloutOutcome[] = [];
  for (const outcome of outcomes) {
    const silent = request.dryRun === true || !isLeftAlone(outcome);
    const metadata = { name: outcome.name, namespace: request.namespace };
    const text = { type: 'Warning', reason: 'NotRestarted', why: `not restarted: ${outcome.why}` } as const;
    const rollout = silent ? undefined : await found(api, { ...rolloutKind, metadata }, signal);
    const untold = rollout ? await tell(api, rollout, request, text, new Date(), signal) : {};
    told.push({ ...outcome, ...untold });
  }
  return told;
}

/** Whether somebody has to look at a Rollout. */
export function isLeftAlone({ outcome }: RestartDecision): boolean {
  return outcome === 'broken' || outcome === 'limited';
}

/**
 * The time by the clock of the API server, which compares it with the pods' times: that of an Event that it makes and
 * does not keep.
 */
export async function serverTime(
  api: RestartApi,
  rollout: Rollout,
  restarter: Restarter,
  signal?: AbortSignal,
): Promise<{ readonly now: Date; readonly warning?: string }> {
  const event = restartEvent(
    rollout,
    restarter,
    { type: 'Normal', reason: 'Looked', why: 'looked' },
    new Date(),
  );
  try {
    const { metadata } = await api.create(event, { dryRun: true, ...(signal ? { signal } : {}) });
    const now = new Date(metadata.creationTimestamp ?? '');
    if (!Number.isNaN(now.getTime())) {
      return { now };
    }
    return { now: new Date(), warning: 'the API server did not say its time; the clock of this host counts' };
  } catch (error) {
    if (!(error instanceof KubernetesError && isKubernetesError(error, 'denied', 'invalid'))) {
      throw error;
    }
    return { now: new Date(), warning: `the clock of this host counts: ${error.message}` };
  }
}

/** The object, or `undefined` where it has gone meanwhile. */
async function found(
  api: RestartApi,
  reference: ObjectReference,
  signal?: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await api.get(reference, signal);
  } catch (error) {
    if (isKubernetesError(error, 'notFound')) {
      return undefined;
    }
    throw error;
  }
}

/** Writes an Event. What was done counts, also where nobody can be told so. */
export async function tell(
  api: RestartApi,
  rollout: KubernetesObject,
  restarter: Restarter,
  told: Parameters<typeof restartEvent>[2],
  now: Date,
  signal?: AbortSignal,
): Promise<{ readonly warning?: string }> {
  try {
    await api.create(restartEvent(rollout, restarter, told, now), signal ? { signal } : {});
    return {};
  } catch (error) {
    if (!(error instanceof KubernetesError)) {
      throw error;
    }
    return { warning: `no Event: ${error.message}` };
  }
}
