import type { CurrentSecret, OwnSecret } from './current-secret';
import type { SkippedCluster } from './desired-state';
import type { ClustersPlan, Deletion, Kept, PlannedSecret, Update } from './plan';
import type { ReconcileSettings } from './reconcile-settings';

type Owned = CurrentSecret & { readonly own: OwnSecret };

/** What decides about Secrets whose clusters were not found, or are left as they are. */
export interface RemovalContext {
  /** Clusters that are there and skipped, by ARN. */
  readonly present: ReadonlyMap<string, SkippedCluster>;
  readonly failures: readonly string[];
  /** How many Secrets the set owns. */
  readonly owned: number;
  readonly settings: ReconcileSettings;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/**
 * What becomes of the set's Secrets that are not wanted: marked when their cluster is first missing, kept for the grace
 * period, then removed; all kept while anything did not answer, or where too many would go.
 */
export function removals(
  left: readonly Owned[],
  context: RemovalContext,
): Pick<ClustersPlan, 'update' | 'delete' | 'keep' | 'problems'> {
  const { failures, settings, now } = context;
  const update: Update[] = [];
  const keep: Kept[] = [];
  const due: Deletion[] = [];
  for (const secret of left) {
    const { own, uid } = secret;
    const { resourceVersion, missingSince } = own;
    const planned = plannedOf(secret);
    const present = context.present.get(secret.arn ?? '');
    const goes = (missingSince ?? now) + settings.gracePeriod;
    if (present) {
      if (missingSince === undefined) {
        keep.push({ ...planned, reason: present.reason });
      } else {
        update.push({
          ...planned,
          uid,
          changes: [{ field: 'missing since' }],
          missingSince: null,
          adopted: false,
        });
      }
    } else if (failures.length > 0) {
      keep.push({ ...planned, reason: 'not found, but not everything answered' });
    } else if (goes <= now) {
      due.push({ ...planned, uid, resourceVersion, missingSince: time(missingSince ?? now) });
    } else if (missingSince === undefined) {
      const changes = [{ field: 'missing since', to: time(now) }];
      update.push({ ...planned, uid, changes, missingSince: time(now), adopted: false });
    } else {
      keep.push({ ...planned, reason: `missing since ${time(missingSince)}; goes after ${time(goes)}` });
    }
  }
  const most = mostAtOnce(context);
  if (due.length <= most) {
    return { update, keep, delete: due, problems: [] };
  }
  const problem =
    `${due.length} of ${context.owned} Secrets would go, and at most ${most} may at once ` +
    `(deletion.maxShare ${settings.maxShare} %); none goes. If they are to go: --force`;
  const held = due.map(({ cluster, arn, secret, missingSince }) => ({
    cluster,
    ...(arn === undefined ? {} : { arn }),
    secret,
    reason: `missing since ${missingSince}; held back, since too many would go at once`,
  }));
  return { update, keep: [...keep, ...held], delete: [], problems: [problem] };
}

/** Of several, one may always go: else a set of two or three would never lose any. */
function mostAtOnce({ owned, settings }: RemovalContext): number {
  if (settings.force) {
    return owned;
  }
  const share = Math.floor((owned * settings.maxShare) / 100);
  return Math.max(share, owned > 1 && settings.maxShare > 0 ? 1 : 0);
}

function plannedOf({ name, arn }: Owned): PlannedSecret {
  const cluster = arn?.split('/').at(-1) ?? name;
  return { cluster, ...(arn === undefined ? {} : { arn }), secret: name };
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
