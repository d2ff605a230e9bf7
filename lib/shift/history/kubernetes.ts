import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { clusterEntries } from '../../core/kubernetes/access-schema';
import type { AccessRule, KubernetesApi, KubernetesObject } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { openKubernetes } from '../../core/kubernetes/open';
import { keptShiftAnnotation, keptShiftLabel } from '../../core/names';
import { oneLine } from '../../core/printable-text';
import { object, optional } from '../../core/validation/collections';
import { dnsLabelText, whole } from '../../core/validation/values';
import { historyKind, newestShifts } from './history-kind';
import type { HistoryRight, ShiftHistory } from './history-kind';
import { keptText, longestShift, readKept } from './kept-shift';
import type { KeptShift } from './kept-shift';

/** A namespace of a cluster, such as the hub. */
export interface HistoryNamespace extends Pick<KubernetesSettings, 'kubeconfig' | 'context'> {
  /** Namespace of the ConfigMaps, which is there already. */
  readonly namespace: string;
}

/** ConfigMaps of a cluster. */
export interface KubernetesHistorySettings extends HistoryNamespace {
  /**
   * How many shifts are kept: 1 to 100. The newest one takes the place of the oldest.
   *
   * @default 20 - a ConfigMap holds up to a mebibyte, and etcd a few gigabytes for all of the cluster
   */
  readonly keep?: number;
}

/** Keys of {@link HistoryNamespace}. */
export const historyNamespace = { namespace: dnsLabelText, ...clusterEntries };

const defaultKept = 20;

/** Shifts in ConfigMaps of a namespace: a fixed number of them, by names that a Role can list. */
export const kubernetes = historyKind<KubernetesHistorySettings>({
  settings: object<KubernetesHistorySettings>({ ...historyNamespace, keep: optional(whole(1, 100)) }),
  open: async ({ namespace, keep, ...access }) => {
    const api = await openKubernetes(access);
    return { history: kubernetesHistory(api, namespace, keep), close: () => api.close() };
  },
  access: ({ namespace, keep = defaultKept, ...at }, right) => ({
    at,
    rules: accessRules(namespace, keep, right),
  }),
});

const kind = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

/** Key of the document, which is compressed: answers of checks repeat themselves. */
const key = 'shift.json.gz';

/**
 * Bytes of a compressed document. A ConfigMap holds a mebibyte.
 * @see https://kubernetes.io/docs/concepts/configuration/configmap/#motivation
 */
const longestCompressed = 900_000;

/** As many ConfigMaps come at once: each may be large. */
const pageSize = 5;

/** Others that keep a shift at the same time take a place each. */
const mostTries = 10;

/** A history in ConfigMaps. */
export function kubernetesHistory(
  api: Pick<KubernetesApi, 'create' | 'replace' | 'list'>,
  namespace: string,
  kept = defaultKept,
): ShiftHistory {
  const listed = (signal?: AbortSignal): Promise<readonly KubernetesObject[]> =>
    api.list(kind, { namespace, labelSelector: `${keptShiftLabel}=true`, pageSize, signal });
  const read = (configMap: KubernetesObject): Promise<KeptShift | string> =>
    readConfigMap(configMap, `ConfigMap ${namespace}/${configMap.metadata.name}`);
  return {
    name: `ConfigMaps of namespace ${namespace}`,
    keep: async (shift, signal) => {
      const { id } = shift.run;
      const binaryData = { [key]: await compressed(shift) };
      const refused = new Set<string>();
      for (let left = mostTries; left > 0; left -= 1) {
        const found = await listed(signal);
        if (found.some((each) => idOf(each) === id)) {
          return;
        }
        const place = placeFor(namesOf(kept), found, refused);
        if (place === undefined) {
          throw new Error(`none of the ConfigMaps ${namesOf(1)[0]} and following is one of a history`);
        }
        const configMap = {
          ...kind,
          metadata: {
            name: place.name,
            namespace,
            labels: { [keptShiftLabel]: 'true' },
            annotations: { [keptShiftAnnotation]: id },
            ...(place.oldest && { resourceVersion: place.oldest.metadata.resourceVersion }),
          },
          binaryData,
        };
        try {
          await (place.oldest ? api.replace(configMap, { signal }) : api.create(configMap, { signal }));
          return;
        } catch (error) {
          if (isKubernetesError(error, 'alreadyExists')) {
            // Another shift has taken the name, or it is of something else: the next list shows which.
            refused.add(place.name);
          } else if (!isKubernetesError(error, 'conflict') && !isKubernetesError(error, 'notFound')) {
            throw error;
          }
        }
      }
      throw new Error(`others kept shifts in namespace ${namespace} at the same time, ${mostTries} times`);
    },
    list: async (query, signal) => {
      const found = await listed(signal);
      const byId = new Map(found.map((each) => [`${idOf(each)} ${each.metadata.name}`, each]));
      return newestShifts([...byId.keys()], query, (id) => read(byId.get(id)!));
    },
    read: async (id, signal) => {
      const found = (await listed(signal)).find((each) => idOf(each) === id);
      return found && read(found);
    },
  };
}

/** Names of the ConfigMaps, `cluster-canary-shift-01` first. */
function namesOf(kept: number): readonly string[] {
  return Array.from(
    { length: kept },
    (_, index) => `cluster-canary-shift-${String(index + 1).padStart(2, '0')}`,
  );
}

function idOf({ metadata }: KubernetesObject): string {
  return metadata.annotations?.[keptShiftAnnotation] ?? '';
}

/**
 * Where the next shift goes: a name that is free, or that of the oldest shift.
 *
 * @param refused names that were not free although no shift was found there
 */
export function placeFor(
  names: readonly string[],
  found: readonly KubernetesObject[],
  refused: ReadonlySet<string>,
): { readonly name: string; readonly oldest?: KubernetesObject } | undefined {
  const taken = new Map(found.map((each) => [each.metadata.name, each]));
  const free = names.find((name) => !taken.has(name) && !refused.has(name));
  if (free !== undefined) {
    return { name: free };
  }
  const [oldest] = names
    .flatMap((name) => taken.get(name) ?? [])
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return oldest && { name: oldest.metadata.name, oldest };
}

async function compressed(shift: KeptShift): Promise<string> {
  const bytes = await promisify(gzip)(keptText(shift), { level: 9 });
  if (bytes.length > longestCompressed) {
    throw new Error(
      `the outcome is too long for a ConfigMap: ${bytes.length} bytes compressed, of at most ${longestCompressed}; a folder or S3 keeps it`,
    );
  }
  return bytes.toString('base64');
}

async function readConfigMap(configMap: KubernetesObject, place: string): Promise<KeptShift | string> {
  const stored = (configMap.binaryData as Readonly<Record<string, unknown>> | undefined)?.[key];
  if (typeof stored !== 'string') {
    return oneLine(`${place}: it has no key ${key}`);
  }
  try {
    // A few bytes may stand for gigabytes.
    const bytes = await promisify(gunzip)(Buffer.from(stored, 'base64'), { maxOutputLength: longestShift });
    return readKept(place, bytes.toString('utf8'));
  } catch (error) {
    const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return oneLine(
      isLong
        ? `${place}: more than ${longestShift / 2 ** 20} MiB`
        : `${place}: ${key} is not compressed by gzip`,
    );
  }
}

/** A Role can't say which ConfigMaps may be created or listed; those that may be changed it names. */
function accessRules(namespace: string, kept: number, right: HistoryRight): readonly AccessRule[] {
  const configMaps = (
    verbs: readonly string[],
    more: Pick<AccessRule, 'resourceNames'> = {},
  ): AccessRule => ({
    apiGroups: [''],
    resources: ['configmaps'],
    verbs,
    ...more,
    namespace,
  });
  return right === 'read'
    ? [configMaps(['list'])]
    : [configMaps(['create', 'list']), configMaps(['update'], { resourceNames: namesOf(kept) })];
}
