import type { Pod, Rollout } from './rollout';
import { revisionOf, wantedReplicas } from './rollout';

/** What is missing at the pods of a Rollout, in words; unset where all of them are there and available. */
export function missingPods(rollout: Rollout, pods: readonly Pod[], now: Date): string | undefined {
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
function dueUpdated(rollout: Rollout): number {
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
