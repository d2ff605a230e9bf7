import type { KubernetesApi, KubernetesSettings } from '../kubernetes';
import type { Hub } from './hub-registration';

/** A hub by the name that it has in messages. */
export function namedHub(
  {
    name,
    context,
    kubeconfig,
    namespace = 'argocd',
  }: KubernetesSettings & Partial<Pick<Hub, 'name' | 'namespace'>>,
  api: KubernetesApi,
): Hub {
  return { name: name ?? context ?? kubeconfig ?? api.server, api, namespace };
}
