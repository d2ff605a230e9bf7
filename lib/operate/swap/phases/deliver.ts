import type { Hub } from '../../argocd';
import { describedCluster, drainAws } from '../../drain';
import type { DrainClients } from '../../drain';
import type { PhaseRunner } from '../runner';
import { resumed } from './resume';

/** What {@link deliverPhase} asks. */
export interface DeliverPhase {
  /** Name of the fleet. */
  readonly fleet: string;
  /** AWS region. @default - that of the environment */
  readonly region?: string;
  /** Name of the EKS cluster of a slot. */
  readonly clusterOf: (slot: string) => string;
  /** Asks the checks, once Argo CD deploys to the cluster. */
  readonly checks: PhaseRunner;
  /** Opens the hubs that deploy to the cluster. */
  readonly openHubs: () => Promise<readonly Hub[]>;
  /** AWS, for tests. @default - with the credentials of the environment */
  readonly aws?: (clusterName: string, region: string | undefined) => DrainClients;
}

/**
 * `deliver`, where the hubs are known: a drain of an earlier swap may have paused them for this cluster, and then Argo CD's
 * words about its Applications are old. That pause goes first.
 */
export function deliverPhase({
  fleet,
  region,
  clusterOf,
  checks,
  openHubs,
  aws = drainAws,
}: DeliverPhase): PhaseRunner {
  return {
    phase: 'deliver',
    run: async (run, signal) => {
      const clusterName = clusterOf(run.slot.name);
      const clients = aws(clusterName, region);
      let hubs: readonly Hub[] = [];
      try {
        hubs = await openHubs();
        const cluster = await describedCluster(clients, clusterName);
        const target = { clusterName, fleet, slot: run.slot.name };
        const answer = await resumed(hubs, { target, cluster }, run.say, signal);
        return answer.passed ? await checks.run(run, signal) : answer;
      } finally {
        hubs.forEach(({ api }) => api.close());
        clients.close();
      }
    },
  };
}
