import { skipReconcileAnnotation } from '../../../core/names';
import { errorLine } from '../../../core/validation/problems';
import type { Hub } from '../../argocd';
import { resumeGitOps } from '../../drain';
import type { DescribedCluster, DrainTarget } from '../../drain';
import type { PhaseAnswer } from '../runner';

/** The cluster of a slot, as the Secrets of hubs name it. */
export interface RegisteredSlot {
  readonly target: DrainTarget;
  readonly cluster: DescribedCluster | undefined;
}

/** Lets Argo CD deploy to a cluster that a drain had paused. It has not passed while something else pauses it. */
export async function resumed(
  hubs: readonly Hub[],
  { target, cluster }: RegisteredSlot,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<PhaseAnswer> {
  const answers = await Promise.all(
    hubs.map(async (hub): Promise<readonly string[]> => {
      try {
        const { resumed: secrets, paused } = await resumeGitOps(hub, target, cluster, signal);
        if (secrets.length > 0) {
          say(`Hub ${hub.name}: deploys to ${target.clusterName} again, by Secret ${secrets.join(', ')}`);
        }
        return paused.map(
          (secret) =>
            `hub ${hub.name}: Secret ${secret} has ${skipReconcileAnnotation}, which this swap did not set`,
        );
      } catch (error) {
        return [`hub ${hub.name}: ${errorLine(error)}`];
      }
    }),
  );
  const left = answers.flat();
  return left.length === 0
    ? { passed: true }
    : {
        passed: false,
        reason: `Argo CD does not deploy to ${target.clusterName}: ${left.join('; ')}`,
        final: false,
      };
}
