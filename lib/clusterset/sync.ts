import type { KubernetesApi } from '../kubernetes';
import { refuseOptions } from '../problems';
import type { ClusterSetSettings } from './cluster-set';
import { clusterSetSettingsKeys } from './cluster-set';
import type { ClusterSource } from './cluster-source';
import { findClusters } from './cluster-source';
import { desiredState } from './desired-state';
import type { FailedWrite } from './hub-secrets';
import { HubSecrets } from './hub-secrets';
import { Limiter } from './limiter';
import type { ClustersPlan } from './plan';
import { reconcile } from './reconcile';

/** What a set works with. */
export interface SyncParts {
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
  /** Is told how many clusters were looked at, and Secrets written. @default - nobody */
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
 * Looks at all accounts and regions and at the hub, and says what has to be done.
 *
 * @throws KubernetesError where the hub does not answer; accounts that do not answer are in the plan's problems
 */
export async function planClusters(settings: ClusterSetSettings, parts: SyncParts): Promise<ClustersPlan> {
  refuseOptions('planClusters', settings, clusterSetSettingsKeys);
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
export async function syncClusters(settings: ClusterSetSettings, parts: SyncParts): Promise<SyncOutcome> {
  refuseOptions('syncClusters', settings, clusterSetSettingsKeys);
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

function hubOf(settings: ClusterSetSettings, { hub, signal }: SyncParts): HubSecrets {
  return new HubSecrets(hub, settings, new Limiter(settings.concurrency), signal);
}
