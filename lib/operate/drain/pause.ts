import {
  activeLabel,
  fleetLabel,
  labelsBeforeDrainAnnotation,
  skipReconcileAnnotation,
  slotLabel,
  trafficLabel,
} from '../../core/names';
import { labelManager, registrations } from '../argocd';
import type { Hub, Registration } from '../argocd';
import type { DescribedCluster } from './aws';
import type { DrainTarget } from './settings';

/** Owner of what a drain writes. */
const drainManager = 'cluster-canary-drain';

/** The cluster Secrets of a hub that register this cluster. */
export function ofCluster(
  found: readonly Registration[],
  target: DrainTarget,
  cluster: DescribedCluster | undefined,
): readonly Registration[] {
  return found.filter(
    ({ labels, server, clusterName }) =>
      (labels[fleetLabel] === target.fleet && labels[slotLabel] === target.slot) ||
      clusterName === target.clusterName ||
      (cluster !== undefined && [cluster.arn, cluster.endpoint].includes(server)),
  );
}

/** The words of {@link labelsBeforeDrainAnnotation}, by label. */
const words = { [trafficLabel]: 'traffic', [activeLabel]: 'active' } as const;

/**
 * Pauses a hub for a cluster: nothing that a drain deletes comes back from Git. The slot's label becomes `draining`, and it
 * is no longer the active one. An annotation keeps which of the labels there were, for {@link resumeGitOps}.
 *
 * @returns names of the Secrets
 * @throws KubernetesError
 */
export async function pauseGitOps(
  hub: Hub,
  target: DrainTarget,
  cluster: DescribedCluster | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found = ofCluster(await registrations(hub, undefined, signal), target, cluster);
  for (const { secret: name, uid, labels, labelsBeforeDrain = labelWords(labels) } of found) {
    const object = { apiVersion: 'v1', kind: 'Secret' };
    const metadata = { name, namespace: hub.namespace, uid };
    const annotations = {
      [skipReconcileAnnotation]: 'true',
      [labelsBeforeDrainAnnotation]: labelsBeforeDrain,
    };
    await hub.api.apply(
      { ...object, metadata: { ...metadata, annotations } },
      { fieldManager: drainManager, force: true, signal },
    );
    await hub.api.apply(
      { ...object, metadata: { ...metadata, labels: { [trafficLabel]: 'draining' } } },
      { fieldManager: labelManager, force: true, signal },
    );
  }
  return found.map(({ secret }) => secret);
}

function labelWords(labels: Registration['labels']): string {
  const has = [
    ...(labels[trafficLabel] === undefined ? [] : [words[trafficLabel]]),
    ...(labels[activeLabel] === 'true' ? [words[activeLabel]] : []),
  ];
  return has.join(',') || 'none';
}

/** What has become of the pause of a cluster in a hub. Secrets are named. */
export interface ResumedHub {
  /** Those that a drain had paused, and that are not any more. */
  readonly resumed: readonly string[];
  /** Those that something else has paused: Argo CD leaves the cluster alone all the same. */
  readonly paused: readonly string[];
}

/**
 * Undoes a pause: Argo CD deploys to the cluster again, and the traffic labels come back that it had. The slot has no traffic
 * yet: it is on `standby`, and it is active again only where no other slot of the fleet is. Labels that a shift has written
 * since stay, and so does what others own.
 *
 * Run again, or after a kill, it ends in the same.
 *
 * @throws KubernetesError
 */
export async function resumeGitOps(
  hub: Hub,
  target: DrainTarget,
  cluster: DescribedCluster | undefined,
  signal?: AbortSignal,
): Promise<ResumedHub> {
  const all = await registrations(hub, undefined, signal);
  const found = ofCluster(all, target, cluster);
  const mayBeActive = !all.some((each) => !found.includes(each) && isActiveIn(target.fleet, each));
  const paused = found.filter((each) => each.labelsBeforeDrain === undefined && each.skipsReconcile);
  const resumed = found.filter((each) => each.labelsBeforeDrain !== undefined);
  const stillPaused: string[] = [];
  for (const registration of resumed) {
    if (await resume(hub, registration, mayBeActive, signal)) {
      stillPaused.push(registration.secret);
    }
  }
  return {
    resumed: resumed.map(({ secret }) => secret),
    paused: [...paused.map(({ secret }) => secret), ...stillPaused],
  };
}

/** @returns whether something else pauses it, too */
async function resume(
  { api, namespace }: Hub,
  { secret: name, uid, labels, labelsBeforeDrain = '' }: Registration,
  mayBeActive: boolean,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const object = { apiVersion: 'v1', kind: 'Secret' };
  const metadata = { name, namespace, uid };
  // The annotation goes last: until then it says what is left to do.
  if (labels[trafficLabel] === 'draining') {
    const had = labelsBeforeDrain.split(',');
    const isActive = labels[activeLabel] === 'true' || (had.includes(words[activeLabel]) && mayBeActive);
    const restored = {
      ...(had.includes(words[trafficLabel]) && { [trafficLabel]: 'standby' }),
      ...(isActive && { [activeLabel]: 'true' }),
    };
    await api.apply(
      { ...object, metadata: { ...metadata, labels: restored } },
      { fieldManager: labelManager, force: true, signal },
    );
  }
  // What a manager applied before and does not apply now is taken off.
  const left = await api.apply({ ...object, metadata }, { fieldManager: drainManager, force: true, signal });
  return left.metadata.annotations?.[skipReconcileAnnotation] === 'true';
}

function isActiveIn(fleet: string, { labels }: Registration): boolean {
  return labels[fleetLabel] === fleet && labels[activeLabel] === 'true';
}
