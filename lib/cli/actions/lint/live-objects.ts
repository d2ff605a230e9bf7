import { indexObjects, manifestObjects } from '../../../lint';
import type { ManifestObject, LiveKind, Rule } from '../../../lint';

/** What was read of a cluster. */
export interface LiveObjects {
  readonly objects: readonly ManifestObject[];
  /** Why a kind could not be read, a line each. */
  readonly denied: readonly string[];
}

/**
 * Reads the objects of a cluster, of the kinds that rules ask for, and no others.
 *
 * @param evaluated what is checked: it says which kinds are needed
 * @param kubeconfig a file; undefined where kubectl would look for one
 * @throws KubernetesError where the cluster does not answer
 */
export async function readLiveObjects(
  rules: readonly Rule[],
  evaluated: readonly ManifestObject[],
  {
    kubeconfig,
    context,
  }: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
): Promise<LiveObjects> {
  const { openKubernetes } = await import('../../../core/kubernetes/open');
  const { CarefulReader } = await import('../../../core/kubernetes/tolerant-reader');
  const api = await openKubernetes({ kubeconfig, context });
  try {
    const reader = new CarefulReader(api);
    const found: unknown[] = [];
    for (const kind of wantedKinds(rules, evaluated)) {
      // A cluster without cert-manager, say, has none of its objects.
      (await reader.list(kind))?.forEach((object) => found.push(object));
    }
    return { objects: manifestObjects(found), denied: reader.unseen };
  } finally {
    api.close();
  }
}

function wantedKinds(rules: readonly Rule[], evaluated: readonly ManifestObject[]): LiveKind[] {
  const objects = indexObjects(evaluated);
  const kinds = rules.flatMap(({ liveKinds = [] }) =>
    typeof liveKinds === 'function' ? liveKinds(objects) : liveKinds,
  );
  return [...new Map(kinds.map((each) => [`${each.apiVersion} ${each.kind}`, each])).values()];
}
