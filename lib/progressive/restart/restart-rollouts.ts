import { isKubernetesError } from '../../kubernetes';
import { restartDecision } from './decision';
import type { RestartApi, RestartRequest, RolloutOutcome } from './request';
import { restartHistory, rfc3339, withRestart } from './history';
import type { Pod, Rollout } from './rollout';
import { rolloutKind } from './rollout';
import { serverTime, tell } from './tell';
import { isOfApplication } from './tracking';

/** How often it is decided anew where the Rollout changed between look and write. */
const tries = 5;

/**
 * Looks once at the Rollouts of an Application in a namespace, and restarts those that are stuck: a merge patch of
 * `spec.restartAt`, with the version that was judged, so that two at once make one restart.
 *
 * @throws KubernetesError where the API server can't be asked
 */
export async function restartRollouts(
  api: RestartApi,
  request: RestartRequest,
  signal?: AbortSignal,
): Promise<RolloutOutcome[]> {
  const { namespace, application } = request;
  const options = { namespace, ...(signal ? { signal } : {}) };
  const rollouts = (await api.list(rolloutKind, options)).filter((each) =>
    isOfApplication(each, application),
  );
  const outcomes: RolloutOutcome[] = [];
  for (const rollout of rollouts as Rollout[]) {
    outcomes.push(await treat(api, request, rollout, signal));
  }
  return outcomes;
}

async function treat(
  api: RestartApi,
  request: RestartRequest,
  listed: Rollout,
  signal?: AbortSignal,
): Promise<RolloutOutcome> {
  const { namespace, limits, dryRun = false } = request;
  const { name } = listed.metadata;
  const options = signal ? { signal } : {};
  let rollout = listed;
  for (let left = tries; ; left -= 1) {
    if (rollout.status?.phase !== 'Degraded') {
      return { name, ...restartDecision(rollout, [], undefined, new Date(), limits) };
    }
    const { now, ...warning } = await serverTime(api, rollout, request, signal);
    const pods = (await api.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace, ...options },
    )) as readonly Pod[];
    const history = restartHistory(rollout);
    const decision = restartDecision(rollout, pods, history, now, limits);
    if (decision.outcome !== 'restart' || history === undefined || dryRun) {
      return { name, ...decision, ...warning };
    }
    const restartAt = rfc3339(now);
    try {
      const patched = await api.patch(
        rollout,
        {
          metadata: {
            resourceVersion: rollout.metadata.resourceVersion,
            annotations: withRestart(history, now),
          },
          spec: { restartAt },
        },
        options,
      );
      const why = `restarted: ${decision.why}`;
      const untold = await tell(
        api,
        patched,
        request,
        { type: 'Normal', reason: 'Restarted', why },
        now,
        signal,
      );
      return { name, ...decision, ...warning, ...untold, restartAt };
    } catch (error) {
      if (!isKubernetesError(error, 'conflict') || left <= 1) {
        throw error;
      }
      rollout = await api.get(rollout, signal);
    }
  }
}
