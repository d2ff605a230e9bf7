import { fleetLabel, skipReconcileAnnotation, slotLabel, trafficLabel } from '../../core/names';
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

/**
 * Pauses a hub for a cluster: nothing that a drain deletes comes back from Git. The slot's label becomes `draining`, and it
 * is no longer the active one.
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
  for (const { secret: name, uid } of found) {
    const object = { apiVersion: 'v1', kind: 'Secret' };
    const metadata = { name, namespace: hub.namespace, uid };
    const annotations = { [skipReconcileAnnotation]: 'true' };
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

/**
 * Undoes a pause: Argo CD deploys to the cluster again, and the label `draining` goes. A label that a shift has written since
 * stays, and so does what others own.
 *
 * Run again it changes nothing more.
 *
 * @returns names of the Secrets
 * @throws KubernetesError
 */
export async function resumeGitOps(
  hub: Hub,
  target: DrainTarget,
  cluster: DescribedCluster | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found = ofCluster(await registrations(hub, undefined, signal), target, cluster);
  for (const { secret: name, uid, labels } of found) {
    // What a manager applied before and does not apply now is taken off.
    const nothing = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: hub.namespace, uid } };
    await hub.api.apply(nothing, { fieldManager: drainManager, force: true, signal });
    if (labels[trafficLabel] === 'draining') {
      await hub.api.apply(nothing, { fieldManager: labelManager, force: true, signal });
    }
  }
  return found.map(({ secret }) => secret);
}
