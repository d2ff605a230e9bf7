import type { KubernetesApi, KubernetesFailure, KubernetesObject } from '../kubernetes';
import { isKubernetesError } from '../kubernetes';
import type { KubernetesLease, KubernetesLeases } from '../leases';

/** The Leases of an API server. */
export function kubernetesLeases(api: KubernetesApi): KubernetesLeases {
  const unless = async (
    reasons: readonly KubernetesFailure[],
    call: Promise<KubernetesObject>,
  ): Promise<KubernetesLease | undefined> => {
    try {
      return (await call) as unknown as KubernetesLease;
    } catch (error) {
      if (isKubernetesError(error, ...reasons)) {
        return undefined;
      }
      throw error;
    }
  };
  const objectOf = (lease: KubernetesLease): KubernetesObject => ({ ...lease });
  return {
    get: (namespace, name, signal) =>
      unless(
        ['notFound'],
        api.get(
          { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } },
          signal,
        ),
      ),
    create: (lease, signal) => unless(['alreadyExists'], api.create(objectOf(lease), { signal })),
    replace: (lease, signal) => unless(['conflict', 'notFound'], api.replace(objectOf(lease), { signal })),
  };
}
