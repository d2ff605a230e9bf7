import type { AwsClients } from '../../../../lib/core/aws/clients';
import type { ClusterVitalsArgs } from '../../../../lib/shift/checks';
import { clusterVitals } from '../../../../lib/shift/checks/cluster-vitals/cluster-vitals';
import { contextOf, windowOf } from '../health-samples';
import type { ClusterSample } from './cluster-samples';
import { server, silent, to } from './cluster-samples';

/** All but the faults of EKS. */
export const withoutEks: ClusterVitalsArgs = {
  vitals: [
    ...(['restarts', 'oomKills', 'pendingPods', 'imagePulls', 'podNetworks'] as const),
    ...(['refusedPods', 'nodes', 'dns', 'dnsAnswers'] as const),
  ],
};

/** What stands in the clusters of both slots. */
export interface Clusters {
  readonly blue?: ClusterSample | Error;
  readonly green?: ClusterSample | Error;
}

/** The check's answer: green gains, beside blue. */
export function evaluate(
  { blue = {}, green = {} }: Clusters,
  settings: ClusterVitalsArgs = withoutEks,
  more: { aws?: () => AwsClients; before?: boolean } = {},
) {
  const check = clusterVitals.kind.create(
    'vitals',
    settings,
    contextOf({
      clock: { now: () => to, sleep: () => Promise.resolve() },
      ...(more.aws && { aws: more.aws }),
      kubernetes: ({ context }) => {
        const sample = context === 'apps-green' ? green : blue;
        return Promise.resolve(sample instanceof Error ? silent(sample) : server(sample));
      },
    }),
  );
  const window = windowOf({ blue: 99, green: 1 }, undefined, {
    to,
    from: to - 60_000,
    startedAt: to - 600_000,
  });
  const first = windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 }, { to, from: to, startedAt: to });
  return check.evaluate(more.before ? first : window);
}
