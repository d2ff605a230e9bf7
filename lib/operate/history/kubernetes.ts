import type { AccessRule, KubernetesApi } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { historyLabel } from '../../core/names';
import { entryName, entryText, historyList, readEntry } from './entry';
import type { HistoryStore } from './entry';

/** Key of the entry in its ConfigMap. */
const key = 'entry.json';

const kind = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

/**
 * History in ConfigMaps of a namespace, one for each entry, which can't be changed: `immutable` is set.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-immutable
 */
export function kubernetesHistory(
  api: Pick<KubernetesApi, 'create' | 'list'>,
  namespace: string,
): HistoryStore {
  return {
    name: `ConfigMaps of namespace ${namespace}`,
    add: async (entry, signal) => {
      const configMap = {
        ...kind,
        metadata: {
          name: `cluster-canary-history-${entryName(entry)}`,
          namespace,
          labels: { [historyLabel]: entry.fleet },
        },
        immutable: true,
        data: { [key]: entryText(entry) },
      };
      try {
        await api.create(configMap, { signal });
      } catch (error) {
        if (!isKubernetesError(error, 'alreadyExists')) {
          throw error;
        }
      }
    },
    list: async (query, signal) => {
      const labelSelector = query.fleet === undefined ? historyLabel : `${historyLabel}=${query.fleet}`;
      const found = await api.list(kind, { namespace, labelSelector, signal });
      return historyList(
        found.map(({ metadata, data }) => {
          const stored = (data as Readonly<Record<string, unknown>> | undefined)?.[key];
          const place = `ConfigMap ${namespace}/${metadata.name}`;
          return readEntry(place, typeof stored === 'string' ? stored : undefined);
        }),
        query,
      );
    },
  };
}

/**
 * The least rights that {@link kubernetesHistory} needs. A Role can't say which ConfigMaps may be listed or created: it is for
 * all of the namespace.
 */
export function kubernetesHistoryAccess(use: 'add' | 'list', namespace: string): readonly AccessRule[] {
  const verbs = use === 'add' ? ['create'] : ['list'];
  return [{ apiGroups: [''], resources: ['configmaps'], verbs, namespace }];
}
