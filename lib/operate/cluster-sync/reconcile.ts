import type { ReconcileSettings } from '../../manifests/cluster-sync';
import { differences } from './current-secrets';
import type { CurrentSecret, OwnedSecret } from './current-secrets';
import type { DesiredSecret, DesiredState, SkippedCluster } from './desired-secrets';
import type { ClustersPlan, Creation, Deletion, UnchangedSecret, PlannedSecret, Update } from './plan';

type Owned = CurrentSecret & { readonly own: OwnedSecret };

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
function removals(
  left: readonly Owned[],
  context: RemovalContext,
): Pick<ClustersPlan, 'update' | 'delete' | 'keep' | 'problems'> {
  const { failures, settings, now } = context;
  const update: Update[] = [];
  const keep: UnchangedSecret[] = [];
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

/**
 * What has to be done so that a hub knows the clusters it should know. Secrets of others stay as they are; what is as it
 * should be is not written.
 *
 * @param current Secrets of Argo CD's namespace: those of clusters, and others that have a wanted name
 * @param now in milliseconds since 1970
 */
export function reconcile(
  desired: DesiredState,
  current: readonly CurrentSecret[],
  settings: ReconcileSettings,
  now: number,
): ClustersPlan {
  const create: Creation[] = [];
  const update: Update[] = [];
  const keep: UnchangedSecret[] = [];
  const skipped: SkippedCluster[] = [...desired.skipped];
  const registered = new Register(current);
  const settled = new Set<string>();
  for (const secret of desired.secrets) {
    const { cluster, arn, name } = secret;
    const existing = registered.named(name);
    const reason = obstacle(secret, existing, registered, settings);
    if (reason) {
      skipped.push({ cluster, arn, ...reason });
    } else if (existing === undefined) {
      create.push({ cluster, arn, secret: name, desired: secret });
    } else {
      settled.add(name);
      const changed = updateOf(secret, existing);
      if (changed) {
        update.push(changed);
      } else {
        keep.push({ cluster, arn, secret: name });
      }
    }
  }
  const left = current.filter(({ name, own }) => own && !settled.has(name));
  const gone = removals(left as readonly (CurrentSecret & { own: OwnedSecret })[], {
    present: new Map(skipped.map((each) => [each.arn, each])),
    failures: desired.failures,
    owned: current.filter(({ own }) => own).length,
    settings,
    now,
  });
  return {
    create,
    update: [...update, ...gone.update],
    delete: gone.delete,
    keep: [...keep, ...gone.keep],
    skipped: [...skipped, ...desired.unselected],
    problems: [
      ...desired.failures,
      ...skipped.filter(({ refused }) => refused).map(({ arn, reason }) => `${arn}: ${reason}`),
      ...gone.problems,
    ],
  };
}

function obstacle(
  { name, arn, data }: DesiredSecret,
  existing: CurrentSecret | undefined,
  registered: Register,
  { adopt }: ReconcileSettings,
): { readonly reason: string; readonly refused: boolean } | undefined {
  const older = registered.otherOf(arn, name);
  if (older && !older.own) {
    const reason = `Secret "${older.name}" of the set "${older.owner!}" registers it already`;
    return { reason, refused: true };
  }
  if (older) {
    const reason = `it is registered as Secret "${older.name}", and the template now names it "${name}"; remove that one to rename it`;
    return { reason, refused: true };
  }
  const twin = registered.twinOf(name, data.server!, data.name!);
  if (twin) {
    return { reason: `Secret "${twin.name}" registers ${twin.what} already`, refused: !twin.isOwn };
  }
  if (existing?.own) {
    const { arn: before = arn } = existing;
    const reason = `Secret "${name}" registers ${before}, and waits until that is gone`;
    return before === arn ? undefined : { reason, refused: false };
  }
  if (existing?.owner !== undefined) {
    return { reason: `Secret "${name}" belongs to the set "${existing.owner}"`, refused: true };
  }
  if (existing && !existing.isCluster) {
    return { reason: `there is a Secret "${name}" that is not a cluster's`, refused: true };
  }
  return existing && !adopt
    ? { reason: `Secret "${name}" was not made by this set; spec.adopt would take it over`, refused: true }
    : undefined;
}

function updateOf(desired: DesiredSecret, existing: CurrentSecret): Update | undefined {
  const { cluster, arn, name: secret } = desired;
  const common = { cluster, arn, secret, uid: existing.uid, desired };
  if (!existing.own) {
    return { ...common, changes: [{ field: 'owner' }], adopted: true };
  }
  const changes = differences(desired, existing.own);
  const isBack = existing.own.missingSince !== undefined;
  if (changes.length === 0 && !isBack) {
    return undefined;
  }
  const { desired: _desired, ...markAlone } = common;
  return {
    ...(changes.length > 0 ? common : markAlone),
    changes: [...changes, ...(isBack ? [{ field: 'missing since' }] : [])],
    ...(isBack ? { missingSince: null } : {}),
    adopted: false,
  };
}

interface Twin {
  /** Name of the Secret. */
  readonly name: string;
  /** What it has in common. */
  readonly what: string;
  readonly isOwn: boolean;
}

/** Argo CD goes wrong where two Secrets have one address or one name. */
class Register {
  private readonly record: ReadonlyMap<string, CurrentSecret>;
  private readonly byServer = new Map<string, CurrentSecret[]>();
  private readonly byClusterName = new Map<string, CurrentSecret[]>();
  private readonly byArn = new Map<string, CurrentSecret[]>();

  public constructor(current: readonly CurrentSecret[]) {
    this.record = new Map(current.map((secret) => [secret.name, secret]));
    for (const secret of current) {
      note(this.byArn, secret.arn, secret);
    }
    for (const secret of current.filter(({ isCluster }) => isCluster)) {
      // What a set owns is known by its ARN.
      note(
        this.byServer,
        secret.owner === undefined && secret.server ? address(secret.server) : undefined,
        secret,
      );
      note(this.byClusterName, secret.clusterName, secret);
    }
  }

  public named(name: string): CurrentSecret | undefined {
    return this.record.get(name);
  }

  /** Another Secret of the same cluster, of this set or of another one. */
  public otherOf(arn: string, name: string): CurrentSecret | undefined {
    const others = this.byArn.get(arn)?.filter((secret) => secret.name !== name) ?? [];
    return others.find(({ own }) => own) ?? others[0];
  }

  /** Another Secret with the same address or name in Argo CD. */
  public twinOf(name: string, server: string, clusterName: string): Twin | undefined {
    const isOther = (secret: CurrentSecret): boolean => secret.name !== name;
    const sameServer = this.byServer.get(address(server))?.find(isOther);
    if (sameServer) {
      return { name: sameServer.name, what: server, isOwn: false };
    }
    const sameName = this.byClusterName.get(clusterName)?.find(isOther);
    const what = `a cluster "${clusterName}"`;
    return sameName && { name: sameName.name, what, isOwn: sameName.own !== undefined };
  }
}

function note(map: Map<string, CurrentSecret[]>, key: string | undefined, secret: CurrentSecret): void {
  if (key !== undefined) {
    map.set(key, [...(map.get(key) ?? []), secret]);
  }
}

/** Argo CD leaves out a slash at the end; a host's case does not matter. */
function address(server: string): string {
  return server.startsWith('https://') ? server.toLowerCase().replace(/(?<!\/)\/+$/, '') : server;
}
