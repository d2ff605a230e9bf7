import { steadyClock } from '../../core/async';
import type { Clock } from '../../core/async';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import type { Hub } from '../argocd';
import type { DescribedCluster, DrainClients } from './aws';
import { clusterObjects, drainCluster } from './cluster';
import type { ClusterOutcome } from './cluster';
import { objectText } from './cluster-objects';
import { findLeftovers, leftoverText } from './leftovers';
import type { Leftover } from './leftovers';
import { pauseGitOps } from './pause';
import type { DrainTarget, DrainTimes } from './settings';
import { sweep } from './sweep';
import type { Swept } from './sweep';
import { shareWords, waitUntilIdle } from './wait-idle';
import type { LiveShare } from './wait-idle';

/** What a drain asks, and what it may do. */
export interface DrainDependencies {
  /** The slot. */
  readonly target: DrainTarget;
  /** As EKS describes it; undefined where there is none any more. */
  readonly cluster: DescribedCluster | undefined;
  /** How long is waited, and what becomes of volumes. */
  readonly times: DrainTimes;
  /** AWS, in the cluster's region. */
  readonly aws: DrainClients;
  /** Opens the cluster's API server. */
  readonly openApi: (cluster: DescribedCluster) => Promise<KubernetesApi>;
  /** Hubs that are paused first. What Argo CD deploys from elsewhere comes back. */
  readonly hubs: readonly Hub[];
  /** Reads the load balancers. @default - the slot may have traffic, and its TargetGroupBindings stay */
  readonly liveShare?: () => Promise<LiveShare>;
  /** How long traffic that is on its way out may take, in milliseconds. @default 0 */
  readonly patienceMs?: number;
  /** Whether nothing is changed. @default false */
  readonly dryRun?: boolean;
  /** Whether what is left in AWS may be deleted, asked when it is known what that is. @default - it may not */
  readonly sweeps?: (leftovers: readonly Leftover[]) => Promise<boolean>;
  /** The time, and waiting for it. @default - the time that passes, whatever the time of day is set to */
  readonly clock?: Clock;
  /** Takes lines for people. */
  readonly say: (line: string) => void;
  /** Interrupts it: the verdict is `interrupted` then. @default - none */
  readonly signal?: AbortSignal;
}

type TimedDrain = DrainDependencies & Required<Pick<DrainDependencies, 'clock'>>;

/**
 * Empties a slot: waits until it has no traffic, pauses the hubs, deletes what controllers make things in AWS for, waits
 * until they have taken them away, and lists what is left there. Where the API server is gone, straight to the list.
 *
 * @throws InvalidInput where the slot has traffic
 * @throws AwsError, KubernetesError where something answers, and refuses
 */
export async function drainSlot(given: DrainDependencies): Promise<DrainReport> {
  const drain = { ...given, clock: given.clock ?? steadyClock() };
  const { target, cluster, aws, liveShare, dryRun = false, signal } = drain;
  const traffic = await quiet(drain);
  const hubs = dryRun ? [] : await pause(drain);
  const objects = cluster === undefined ? null : await emptyCluster(drain, cluster);
  const query = { clusterName: target.clusterName, clusterIsThere: cluster !== undefined };
  const leftovers = (await findLeftovers(aws, query)).map((each) => asSettled(each, drain.times));
  const swept = await sweepIfAsked(drain, objects, leftovers);
  const gone = new Set(swept.deleted.map(({ id }) => id));
  const left = leftovers.filter(({ id }) => !gone.has(id));
  const counted = left.filter(({ kind }) => !(kind === 'volume' && drain.times.volumes === 'keep'));
  const isEmpty =
    counted.length === 0 && (objects === null || ['empty', 'unreachable'].includes(objects.verdict));
  const isDue = dryRun && (objects?.acted.length ?? 0) > 0;
  return {
    schemaVersion: 1,
    ...target,
    verdict: signal?.aborted ? 'interrupted' : isEmpty && !isDue ? 'empty' : 'left',
    dryRun,
    clusterStatus: cluster?.status ?? 'GONE',
    traffic: liveShare === undefined ? null : traffic,
    hubs,
    objects,
    leftovers: left,
    swept: swept.deleted,
    refusals: swept.refusals,
  };
}

async function quiet(drain: TimedDrain): Promise<LiveShare | null> {
  const { liveShare, times, dryRun } = drain;
  if (liveShare === undefined) {
    return null;
  }
  if (dryRun) {
    return liveShare();
  }
  await waitUntilIdle({ ...drain, liveShare, quietMs: times.quietMs });
  return { percent: 0, where: 'no rule' };
}

/** A hub that can't be reached is reported, and is no reason to stop: what it brings back shows. */
async function pause({ hubs, target, cluster, signal }: DrainDependencies): Promise<readonly PausedHub[]> {
  return Promise.all(
    hubs.map(async (hub): Promise<PausedHub> => {
      try {
        return { hub: hub.name, secrets: await pauseGitOps(hub, target, cluster, signal) };
      } catch (error) {
        return { hub: hub.name, secrets: [], problem: (error as Error).message };
      }
    }),
  );
}

async function emptyCluster(drain: TimedDrain, cluster: DescribedCluster): Promise<ClusterOutcome> {
  const { openApi, dryRun, liveShare } = drain;
  const keepsBindings = liveShare === undefined;
  const api = await openApi(cluster);
  try {
    if (!dryRun) {
      return await drainCluster({ ...drain, api, keepsBindings });
    }
    const objects = await clusterObjects({ ...drain, api, keepsBindings });
    return { verdict: 'empty', acted: objects.map(objectText), left: [] };
  } catch (error) {
    if (isKubernetesError(error, 'unreachable')) {
      return { verdict: 'unreachable', acted: [], left: [], unreachable: (error as Error).message };
    }
    throw error;
  } finally {
    api.close();
  }
}

/** Data is deleted only where that was said. */
function asSettled(leftover: Leftover, { volumes }: DrainTimes): Leftover {
  return leftover.kind === 'volume' && volumes !== 'delete'
    ? { ...leftover, kept: volumes === 'keep' ? 'volumes are kept' : 'kept until volumes are to be deleted' }
    : leftover;
}

async function sweepIfAsked(
  drain: TimedDrain,
  objects: ClusterOutcome | null,
  leftovers: readonly Leftover[],
): Promise<Swept> {
  const { aws, target, cluster, clock, times, sweeps, dryRun, say, signal } = drain;
  const nothing: Swept = { deleted: [], refusals: {} };
  const due = leftovers.filter(({ kept }) => kept === undefined);
  if (sweeps === undefined || dryRun || due.length === 0 || signal?.aborted) {
    return nothing;
  }
  if (objects !== null && !['empty', 'unreachable'].includes(objects.verdict)) {
    say('Nothing is swept: the cluster is not empty, and its controllers still work');
    return nothing;
  }
  if (!(await sweeps(due))) {
    return nothing;
  }
  const ids = new Set(due.map(({ id }) => id));
  return sweep({
    clusterName: target.clusterName,
    clusterIsThere: cluster !== undefined,
    withinMs: times.withinMs,
    // What comes up meanwhile was not confirmed.
    chosen: ({ id }) => ids.has(id),
    ...{ aws, clock, say, signal },
  });
}

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
    ...(unreachable === undefined ? [] : [`Its API server could not be reached: ${unreachable}`]),
    ...acted.map((each) => `${dryRun ? 'Would go' : 'Gone, or going'}: ${each}`),
    ...left.map((each) => `Left in the cluster: ${each}`),
  ];
}
