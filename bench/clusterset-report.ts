import type { ClusterSetResult, ClusterSetRun } from './clusterset';
import { measuredLine } from './text';

export const clusterSetHeading = '## Cluster sets';

/** Where and when `clusters sync` was measured, and what came out. */
export interface ClusterSetSection {
  /** `2026-01-31` */
  readonly date: string;
  /** `v20.19.0` */
  readonly node: string;
  /** Load average before the first sample. */
  readonly load: number;
  readonly results: readonly ClusterSetResult[];
}

/** The section on `clusters sync`. */
export function clusterSetSection({ date, node, load, results }: ClusterSetSection): string[] {
  return [
    clusterSetHeading,
    '',
    '`cluster-canary clusters sync` with five accounts in two regions and ten parallel calls. The servers are on the same machine; EKS answers after 30 ms. The second run has no changes.',
    '',
    measuredLine(date, node, load),
    '',
    '| clusters | run | seconds | CPU s | MB | list | describe | STS | hub reads | hub writes |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...results.flatMap(({ clusters, first, second }) => [
      row(clusters, 'first', first),
      row(clusters, 'second', second),
    ]),
    '',
    'For comparison, argocd-clusterset with moto and a real API server: 150 and 500 clusters give 100 Secrets, 202 AWS calls and 19 s in each run.',
    '',
  ];
}

function row(clusters: number, name: string, run: ClusterSetRun): string {
  const { list, describe, assumeRole, hubReads, hubWrites } = run.calls;
  const taken = [run.seconds.toFixed(1), run.cpuSeconds.toFixed(1), run.peakMegabytes.toFixed(0)];
  return `| ${[clusters.toLocaleString('en'), name, ...taken, list, describe, assumeRole, hubReads, hubWrites].join(' | ')} |`;
}
