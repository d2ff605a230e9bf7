import { Limiter } from '../../core/async';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { refuseArguments } from '../../core/validation/arguments';
import { clusterSetSettings, describePlace } from '../../manifests/cluster-sync';
import type { ClusterSetSettings, ClusterPlace } from '../../manifests/cluster-sync';
import type { ChangedField } from './current-secrets';
import { desiredState } from './desired-secrets';
import type { SkippedCluster } from './desired-secrets';
import { findClusters } from './eks-source';
import type { ClusterSource } from './eks-source';
import { HubSecrets } from './hub-secrets';
import type { FailedWrite } from './hub-secrets';
import type { ClustersPlan, UnchangedSecret, PlannedSecret } from './plan';
import { reconcile } from './reconcile';

/** What a set works with. */
export interface SyncDependencies {
  /** Finds the clusters. */
  readonly source: ClusterSource;
  /** API server of the hub. */
  readonly hub: KubernetesApi;
  /** Whether more than the share may go at once. @default false */
  readonly force?: boolean;
  /** In milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Stops it. @default - none */
  readonly signal?: AbortSignal;
  /** Called with the number of clusters read, and of Secrets written. @default - not called */
  readonly onProgress?: (count: number) => void;
}

/** A plan that was carried out. */
export interface SyncOutcome {
  /** What was to be done. */
  readonly plan: ClustersPlan;
  /** How many Secrets were written or removed. */
  readonly written: number;
  /** Secrets that could not be written. */
  readonly failed: readonly FailedWrite[];
}

/**
 * Reads all accounts and regions and the hub, and plans what has to be done.
 *
 * @throws KubernetesError where the hub does not answer; accounts that do not answer are in the plan's problems
 */
export async function planClusters(
  settings: ClusterSetSettings,
  parts: SyncDependencies,
): Promise<ClustersPlan> {
  refuseArguments('planClusters', clusterSetSettings, settings);
  const { source, force = false, now = Date.now, signal, onProgress } = parts;
  let seen = 0;
  const found = await findClusters(settings, source, {
    limiter: new Limiter(settings.concurrency),
    ...(signal === undefined ? {} : { signal }),
    onCluster: () => onProgress?.((seen += 1)),
  });
  const desired = desiredState(found, settings);
  const current = await hubOf(settings, parts).read(desired.secrets);
  return reconcile(desired, current, { ...settings, force }, now());
}

/**
 * Looks, and does what has to be done.
 *
 * @throws KubernetesError where the hub does not answer to begin with
 */
export async function syncClusters(
  settings: ClusterSetSettings,
  parts: SyncDependencies,
): Promise<SyncOutcome> {
  refuseArguments('syncClusters', clusterSetSettings, settings);
  let seen = 0;
  const plan = await planClusters(settings, {
    ...parts,
    onProgress: (count) => {
      seen = count;
      parts.onProgress?.(seen);
    },
  });
  let written = 0;
  const failed = await hubOf(settings, parts).write(plan, () => {
    written += 1;
    parts.onProgress?.(seen + written);
  });
  return { plan, written, failed };
}

function hubOf(settings: ClusterSetSettings, { hub, signal }: SyncDependencies): HubSecrets {
  return new HubSecrets(hub, settings, new Limiter(settings.concurrency), signal);
}

/** A plan, or what came of it, as `cluster-canary clusters` prints it with `--json`. */
export interface PlanDocument {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** Name of the set. */
  readonly clusterSet: string;
  /** Namespace of the Secrets. */
  readonly namespace: string;
  /** Secrets that are made. */
  readonly create: readonly PlannedSecret[];
  /** Secrets that are changed. */
  readonly update: readonly (PlannedSecret & {
    /** What is changed on it. */
    readonly changes: readonly ChangedField[];
  })[];
  /** Secrets that go. */
  readonly delete: readonly (PlannedSecret & {
    /** Since when its cluster has been missing, RFC 3339. */
    readonly missingSince: string;
  })[];
  /** Secrets that stay as they are. */
  readonly keep: readonly UnchangedSecret[];
  /** Selected clusters that are left as they are. */
  readonly skipped: readonly SkippedCluster[];
  /** What needs attention, a line each. */
  readonly problems: readonly string[];
  /** What is worth knowing and needs no attention now, a line each. */
  readonly notes: readonly string[];
  /** Of a sync: how many Secrets were written or removed. */
  readonly written?: number;
  /** Of a sync: the Secrets that could not be written. */
  readonly failed?: readonly FailedWrite[];
}

/** The document of a plan; what is written into Secrets is not in it. */
export function planDocument(
  { name, namespace, places }: Pick<ClusterSetSettings, 'name' | 'namespace' | 'places'>,
  plan: ClustersPlan,
  outcome?: Pick<SyncOutcome, 'written' | 'failed'>,
): PlanDocument {
  return {
    schemaVersion: 1,
    clusterSet: name,
    namespace,
    create: plan.create.map(plannedOf),
    update: plan.update.map((each) => ({ ...plannedOf(each), changes: each.changes })),
    delete: plan.delete.map((each) => ({ ...plannedOf(each), missingSince: each.missingSince })),
    keep: plan.keep,
    skipped: plan.skipped,
    problems: plan.problems,
    notes: places.filter(({ account }) => account === undefined).map(noteOf),
    ...(outcome ? { written: outcome.written, failed: outcome.failed } : {}),
  };
}

function noteOf(place: ClusterPlace): string {
  return (
    `${describePlace(place)}: no account is set, so credentials of another one that has no clusters ` +
    'look as if all clusters were gone'
  );
}

function plannedOf({ cluster, arn, secret }: PlannedSecret): PlannedSecret {
  return { cluster, ...(arn === undefined ? {} : { arn }), secret };
}
