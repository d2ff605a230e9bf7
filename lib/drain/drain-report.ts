import type { ClusterOutcome } from './drain-cluster';
import type { DrainTarget } from './drain-target';
import type { Leftover } from './leftover';
import { leftoverText } from './leftover';
import type { LiveShare } from './quiet';
import { shareWords } from './quiet';

/** What a drain did and found: what `cluster-canary drain --json` prints. */
export interface DrainReport extends DrainTarget {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** `empty` where nothing is left, in the cluster and in AWS. */
  readonly verdict: 'empty' | 'left' | 'interrupted';
  /** Whether nothing was changed. */
  readonly dryRun: boolean;
  /** What EKS says of the cluster; `GONE` where it knows none. */
  readonly clusterStatus: string;
  /** Live traffic of the slot; `null` where it was not asked. */
  readonly traffic: LiveShare | null;
  /** The hubs, with the cluster Secrets by which they leave the cluster alone now. */
  readonly hubs: readonly PausedHub[];
  /** What became of the objects in the cluster; `null` where there is no cluster any more. */
  readonly objects: ClusterOutcome | null;
  /** What controllers made in AWS and what is still there. */
  readonly leftovers: readonly Leftover[];
  /** What a sweep deleted. */
  readonly swept: readonly Leftover[];
  /** What a sweep could not delete, by its ID, with the reason. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** A hub that leaves the cluster alone. */
export interface PausedHub {
  /** Name of the hub, for messages. */
  readonly hub: string;
  /** Names of the cluster Secrets that were changed. */
  readonly secrets: readonly string[];
  /** Why it could not be paused. */
  readonly problem?: string;
}

/** The report as lines for people. */
export function reportLines(report: DrainReport): readonly string[] {
  const { clusterName, clusterStatus, dryRun, traffic, hubs, objects, leftovers, swept, refusals } = report;
  return [
    `EKS cluster ${clusterName}: ${clusterStatus === 'GONE' ? 'there is none any more' : clusterStatus}`,
    ...(traffic === null || traffic.percent === 0
      ? []
      : [`Live traffic: ${traffic.percent} % (on ${shareWords(traffic)})`]),
    ...hubs.map(({ hub, secrets, problem }) =>
      problem === undefined
        ? `Hub ${hub}: ${secrets.length === 0 ? 'does not know the cluster' : `paused by Secret ${secrets.join(', ')}`}`
        : `Hub ${hub}: not paused: ${problem}`,
    ),
    ...(objects === null ? [] : objectLines(objects, dryRun)),
    ...swept.map((each) => `Deleted: ${leftoverText(each)}`),
    ...leftovers.map((each) => {
      const refusal = refusals[each.id];
      return `Left in AWS: ${leftoverText(each)}${refusal === undefined ? '' : `: ${refusal}`}`;
    }),
    ...(dryRun ? ['Nothing was changed.'] : []),
    ...(report.verdict === 'empty' ? ['Nothing is left.'] : []),
  ];
}

function objectLines({ acted, left, unreachable }: ClusterOutcome, dryRun: boolean): readonly string[] {
  return [
    ...(unreachable === undefined ? [] : [`Its API server could not be asked: ${unreachable}`]),
    ...acted.map((each) => `${dryRun ? 'Would go' : 'Gone, or going'}: ${each}`),
    ...left.map((each) => `Left in the cluster: ${each}`),
  ];
}
