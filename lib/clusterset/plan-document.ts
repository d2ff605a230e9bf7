import type { ClusterSetSettings } from './cluster-set';
import type { SkippedCluster } from './desired-state';
import type { Change } from './differences';
import type { FailedWrite } from './hub-secrets';
import type { ClustersPlan, Kept, PlannedSecret } from './plan';
import type { SyncOutcome } from './sync';

/** A plan, or what came of it, as `cluster-canary clusters` prints it with `--json`. */
export interface PlanDocument {
  readonly schemaVersion: 1;
  /** Name of the set. */
  readonly clusterSet: string;
  /** Namespace of the Secrets. */
  readonly namespace: string;
  readonly create: readonly PlannedSecret[];
  readonly update: readonly (PlannedSecret & { readonly changes: readonly Change[] })[];
  readonly delete: readonly (PlannedSecret & { readonly missingSince: string })[];
  readonly keep: readonly Kept[];
  readonly skipped: readonly SkippedCluster[];
  readonly problems: readonly string[];
  /** Of a sync: how many Secrets were written or removed. */
  readonly written?: number;
  /** Of a sync: the Secrets that could not be written. */
  readonly failed?: readonly FailedWrite[];
}

/** The document of a plan; what is written into Secrets is not in it. */
export function planDocument(
  { name, namespace }: Pick<ClusterSetSettings, 'name' | 'namespace'>,
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
    ...(outcome ? { written: outcome.written, failed: outcome.failed } : {}),
  };
}

function plannedOf({ cluster, arn, secret }: PlannedSecret): PlannedSecret {
  return { cluster, ...(arn === undefined ? {} : { arn }), secret };
}
