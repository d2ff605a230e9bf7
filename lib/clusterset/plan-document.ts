import type { ClusterSetSettings, Place } from './cluster-set';
import type { SkippedCluster } from './desired-state';
import type { Change } from './differences';
import type { FailedWrite } from './hub-secrets';
import type { ClustersPlan, Kept, PlannedSecret } from './plan';
import { describePlace } from './settings';
import type { SyncOutcome } from './sync';

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
    readonly changes: readonly Change[];
  })[];
  /** Secrets that go. */
  readonly delete: readonly (PlannedSecret & {
    /** Since when its cluster has been missing, RFC 3339. */
    readonly missingSince: string;
  })[];
  /** Secrets that stay as they are. */
  readonly keep: readonly Kept[];
  /** Selected clusters that are left as they are. */
  readonly skipped: readonly SkippedCluster[];
  /** What somebody has to look at, a line each. */
  readonly problems: readonly string[];
  /** What somebody should know, and need not look at now, a line each. */
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

function noteOf(place: Place): string {
  return (
    `${describePlace(place)}: no account is set, so credentials of another one that has no clusters ` +
    'look as if all clusters were gone'
  );
}

function plannedOf({ cluster, arn, secret }: PlannedSecret): PlannedSecret {
  return { cluster, ...(arn === undefined ? {} : { arn }), secret };
}
