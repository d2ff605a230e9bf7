import type { KubernetesObject } from '../../../core/kubernetes/api';
import { shortMessage } from '../../../core/redaction';

/** An Application of Argo CD, as far as the check reads it. */
export interface ObservedApplication {
  readonly name: string;
  /** The ApplicationSet that made it. */
  readonly set?: string;
  /** @default - `default`, as Argo CD takes it */
  readonly project?: string;
  readonly destination: { readonly name?: string; readonly server?: string };
  /** `Synced`, `OutOfSync`, `Unknown`; unset where Argo CD has not looked at it yet. */
  readonly sync?: string;
  /** `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, `Unknown` */
  readonly health?: string;
  /** How the last sync ended: `Succeeded`, `Failed`, `Error`; or `Running`, `Terminating`. */
  readonly phase?: string;
  /**
   * Why its last sync failed, one that Argo CD tries again included: its first object that could not be applied, and Argo CD's
   * words.
   */
  readonly failure?: string;
}

/** Reads Applications; those that are being deleted are left out. */
export function applicationsOf(objects: readonly KubernetesObject[]): readonly ObservedApplication[] {
  return objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(applicationOf);
}

/** Whether it runs well, at another revision than it is to have. */
export function isOnlyBehind({ sync, health }: ObservedApplication): boolean {
  return sync === 'OutOfSync' && health === 'Healthy';
}

function applicationOf(object: KubernetesObject): ObservedApplication {
  const { metadata } = object;
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'ApplicationSet');
  return {
    name: metadata.name,
    ...optional('set', owner?.name),
    ...optional('project', textAt(object, 'spec', 'project')),
    destination: {
      ...optional('name', textAt(object, 'spec', 'destination', 'name')),
      ...optional('server', textAt(object, 'spec', 'destination', 'server')),
    },
    ...optional('sync', textAt(object, 'status', 'sync', 'status')),
    ...optional('health', textAt(object, 'status', 'health', 'status')),
    ...optional('phase', textAt(object, 'status', 'operationState', 'phase')),
    ...optional('failure', failureOf(object)),
  };
}

/** A reason is one line of a report: messages of API servers are longer. */
const longestFailure = 240;

/** Fields are those of `SyncOperationResult` in the definition of Application. */
function failureOf(object: KubernetesObject): string | undefined {
  const resources = fieldAt(object, 'status', 'operationState', 'syncResult', 'resources');
  const failed = (Array.isArray(resources) ? (resources as readonly unknown[]) : []).find(
    (each) => textAt(each, 'status') === 'SyncFailed',
  );
  // Between two tries the phase is `Running`, and the message is that of any sync that runs.
  const isOver = ['Failed', 'Error'].includes(textAt(object, 'status', 'operationState', 'phase') ?? '');
  const words =
    failed === undefined
      ? textAt(object, 'status', 'operationState', isOver ? 'message' : '')
      : `${named(failed)}: ${textAt(failed, 'message') ?? 'no message'}`;
  return words === undefined
    ? undefined
    : shortMessage(words, longestFailure, { secret: textAt(failed, 'kind') === 'Secret' });
}

/** `PodDisruptionBudget web of policy/v1beta1`: a version that the cluster does not serve is the reason at times. */
function named(resource: unknown): string {
  const [group, version, kind, name] = ['group', 'version', 'kind', 'name'].map((key) =>
    textAt(resource, key),
  );
  const api = [group, version].filter((each) => each !== undefined).join('/');
  return `${kind ?? 'object'} ${name ?? ''} of ${api}`;
}

/** Text at a path; undefined where there is none, or an empty one. */
function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function fieldAt(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, field) =>
      typeof each === 'object' && each !== null ? (each as Record<string, unknown>)[field] : undefined,
    object,
  );
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

/** A slot's words in the names of Applications. */
export interface SlotWords {
  readonly slot: string;
  /** Names of its cluster in Argo CD. */
  readonly clusters: readonly string[];
}

/**
 * The Applications of an old slot that a new one has no counterpart of.
 *
 * The counterpart has the same ApplicationSet (or none, as well) and the same name, once the names of the cluster and the
 * slot are taken out: `apps-blue-podinfo` and `apps-green-podinfo`. An ApplicationSet may name its Applications after
 * something else that differs by cluster, though, so what is left over of one set counts as matched by number.
 */
export function uncovered(
  old: readonly ObservedApplication[],
  oldWords: SlotWords,
  candidates: readonly ObservedApplication[],
  newWords: SlotWords,
): readonly ObservedApplication[] {
  const free = candidates.map((each) => ({ set: each.set, name: nameless(each.name, newWords) }));
  const take = (fits: (candidate: { set?: string; name: string }) => boolean): boolean => {
    const at = free.findIndex(fits);
    return at >= 0 && free.splice(at, 1).length > 0;
  };
  const without = old.filter((each) => {
    const name = nameless(each.name, oldWords);
    return !take((candidate) => candidate.set === each.set && candidate.name === name);
  });
  return without.filter(({ set }) => set === undefined || !take((candidate) => candidate.set === set));
}

/** A name without the cluster's and the slot's: `apps-blue-podinfo` is `*-podinfo`. */
export function nameless(name: string, { slot, clusters }: SlotWords): string {
  const words = [...clusters, ...clusters.map(normalized), slot].sort(
    (one, other) => other.length - one.length,
  );
  for (const word of words) {
    const found = new RegExp(`(^|[-._])${escaped(word)}(?=$|[-._])`);
    if (found.test(name)) {
      return name.replace(found, '$1*');
    }
  }
  return name;
}

/** As the parameter `nameNormalized` of a clusters generator. */
function normalized(cluster: string): string {
  return cluster.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
