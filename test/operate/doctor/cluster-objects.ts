import type { KubernetesReader } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { DoctorContext } from '../../../lib/operate/doctor';

/** What a test may do to a cluster of plain objects. */
export interface ClusterOptions {
  /** `list Secret`, `get Secret`: refused. */
  readonly denied?: readonly string[];
}

/** A cluster of plain objects, as a check reads it. */
export function clusterOf(objects: readonly any[], { denied = [] }: ClusterOptions = {}): KubernetesReader {
  const allowed = async <Answer>(verb: string, kind: string, answer: () => Answer): Promise<Answer> => {
    await Promise.resolve();
    if (denied.includes(`${verb} ${kind}`)) {
      throw new KubernetesError('denied', `may not ${verb} ${kind}`, 403);
    }
    return answer();
  };
  return {
    server: 'https://test',
    get: ({ kind, metadata: { name, namespace } }) =>
      allowed('get', kind, () => {
        const found = objects.find(
          (each) =>
            each.kind === kind &&
            each.metadata.name === name &&
            (namespace === undefined || each.metadata.namespace === namespace),
        );
        if (!found) {
          throw new KubernetesError('notFound', `${kind} ${name}: not found`, 404);
        }
        return found;
      }),
    list: ({ kind }, { namespace, labelSelector } = {}) =>
      allowed('list', kind, () =>
        objects.filter(
          (each) =>
            each.kind === kind &&
            (namespace === undefined || each.metadata.namespace === namespace) &&
            (labelSelector ?? '')
              .split(',')
              .filter(Boolean)
              .every((pair) => {
                const [key = '', value] = pair.split('=');
                return each.metadata.labels?.[key] === value;
              }),
        ),
      ),
  };
}

/** What a check works with, for a cluster. */
export function contextOf(api: KubernetesReader, now = new Date()): DoctorContext {
  return {
    api,
    namespace: 'argocd',
    concurrency: 4,
    now: () => now,
    progress: () => undefined,
    signal: new AbortController().signal,
  };
}
