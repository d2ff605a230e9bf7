import { skipReconcileAnnotation } from '../../core/names';
import { errorLine } from '../../core/validation/problems';
import type { Hub } from '../../operate/argocd';
import { resumeGitOps } from '../../operate/drain';
import type { DescribedCluster, DrainTarget } from '../../operate/drain';

/** What has become of the pause of hubs. */
export interface ResumedHubs {
  /** A line for each hub. */
  readonly lines: readonly string[];
  /** Whether Argo CD of every hub deploys to the cluster. */
  readonly isComplete: boolean;
}

/** Undoes the pause of a drain in each hub: what `cluster-canary drain --resume` does. */
export async function resumeHubs(
  hubs: readonly Hub[],
  target: DrainTarget,
  cluster: DescribedCluster | undefined,
  signal: AbortSignal,
): Promise<ResumedHubs> {
  const { clusterName } = target;
  const answers = await Promise.all(
    hubs.map(async (hub) => {
      try {
        const { resumed, paused } = await resumeGitOps(hub, target, cluster, signal);
        return [
          ...(resumed.length > 0
            ? [{ isDone: true, text: `deploys to ${clusterName} again, by Secret ${resumed.join(', ')}` }]
            : []),
          ...paused.map((secret) => ({
            isDone: false,
            text: `does not deploy to ${clusterName}: Secret ${secret} has ${skipReconcileAnnotation}, which no drain has set`,
          })),
          ...(resumed.length + paused.length === 0
            ? [{ isDone: true, text: `no drain has paused it for ${clusterName}` }]
            : []),
        ].map(({ isDone, text }) => ({ isDone, text: `Hub ${hub.name}: ${text}` }));
      } catch (error) {
        signal.throwIfAborted();
        return [{ isDone: false, text: `Hub ${hub.name}: not resumed: ${errorLine(error)}` }];
      }
    }),
  );
  return {
    lines: answers.flat().map(({ text }) => text),
    isComplete: answers.flat().every(({ isDone }) => isDone),
  };
}
