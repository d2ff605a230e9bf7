import type { KubernetesObject, KubernetesReader } from '../../kubernetes';

/** Where kubelets renew their Leases. */
export const leaseNamespace = 'kube-node-lease';

/**
 * The Leases of all nodes.
 *
 * @throws KubernetesError where they can't be read
 */
export function readLeases(
  api: Pick<KubernetesReader, 'list'>,
  signal?: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  return api.list(
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    { namespace: leaseNamespace, ...(signal ? { signal } : {}) },
  );
}
