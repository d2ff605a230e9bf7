import { isKubernetesError, openKubernetes } from '../../kubernetes';
import type { JudgedObject, LiveKind, Rule } from '../../rules';
import { judgedObjects } from '../../rules';

/**
 * Reads the objects of a cluster, of the kinds that rules ask for.
 *
 * @param kubeconfig a file; undefined where kubectl would look for one
 * @throws KubernetesError where the cluster does not answer, or refuses a kind
 */
export async function readLiveObjects(
  rules: readonly Rule[],
  {
    kubeconfig,
    context,
  }: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
): Promise<readonly JudgedObject[]> {
  const api = await openKubernetes({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  try {
    const found: unknown[] = [];
    for (const kind of wantedKinds(rules)) {
      try {
        (await api.list(kind)).forEach((object) => found.push(object));
      } catch (error) {
        // A cluster without cert-manager, say, has none of its objects.
        if (!isKubernetesError(error, 'unsupported', 'notFound')) {
          throw error;
        }
      }
    }
    return judgedObjects(found);
  } finally {
    api.close();
  }
}

function wantedKinds(rules: readonly Rule[]): LiveKind[] {
  const kinds = rules.flatMap(({ liveKinds = [] }) => liveKinds);
  return [...new Map(kinds.map((each) => [`${each.apiVersion} ${each.kind}`, each])).values()];
}
