import type { KubernetesObject } from '../../kubernetes/api';
import { isPlainObject } from '../../validation/problems';
import { said } from '../words';

/** One way in which an object was written: by which version of its API. */
export interface Writing {
  /** `policy/v1beta1` */
  readonly apiVersion: string;
  /**
   * Whether a manifest says so, which is applied again some day: `kubectl apply` noted it, or the fields are owned by a
   * server-side apply. Else somebody wrote the object by that version once, and may have learned a newer one since.
   */
  readonly declared: boolean;
  /** `last applied`, `managed fields of helm` */
  readonly seenIn: string;
  /** Who, and when: `helm wrote it on 2026-01-02`. @default - that is not known */
  readonly who?: string;
}

/** Where `kubectl apply` notes the manifest that it applied. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object have this many bytes together: `TotalAnnotationSizeLimitB` of k8s.io/apimachinery. */
const longestAnnotation = 256 * 1024;

/** Managers of one object that are looked at; the API server keeps ten that update, and one for each that applies. */
const mostManagers = 200;

/** Managers whose entries the annotation is the newer word of. */
const clientSideApply = new Set(['kubectl-client-side-apply', 'kubectl-last-applied']);

/**
 * Programs of Kubernetes itself, which come with its version: what they wrote by an old one, they write by a new one. The
 * last two stand for writers that nobody knows any more.
 */
const ownManagers = new Set([
  ...['kube-apiserver', 'kube-controller-manager', 'cloud-controller-manager', 'kube-scheduler', 'kubelet'],
  ...['api-priority-and-fairness-config-producer-v1', 'api-priority-and-fairness-config-consumer-v1'],
  ...['before-first-apply', 'ancient-changes'],
]);

/**
 * By which versions an object was written, each once. The API server answers an object in whichever version it is asked for;
 * what it was written in is only said by the annotation of `kubectl apply` and by the entries of its managed fields:
 *
 * - The entry of a server-side apply is replaced by the next one of the same manager, in whichever version that is: it says
 *   what the manifest says.
 * - The entry of every other writer stays beside one of a newer version, as long as it owns a field: an entry that is older
 *   than another one of the same manager says nothing.
 *
 * @see `BuildManagerIdentifier` of k8s.io/apimachinery, pkg/util/managedfields/internal/managedfields.go
 */
export function writingsOf(object: KubernetesObject): readonly Writing[] {
  const applied = lastApplied(object);
  const entries = entriesOf(object.metadata.managedFields);
  const found = new Map<string, Writing[]>();
  const add = (writing: Writing): void => {
    found.set(writing.apiVersion, [...(found.get(writing.apiVersion) ?? []), writing]);
  };
  if (applied !== undefined) {
    add({ apiVersion: applied, declared: true, seenIn: 'last applied' });
  }
  for (const entry of entries) {
    const { manager, apiVersion, declared, at } = entry;
    const outdated = entries.some((other) => other.manager === manager && other.at > at);
    if (!outdated && !ownManagers.has(manager) && !(applied !== undefined && clientSideApply.has(manager))) {
      const name = said(manager) || 'a client without a name';
      const date = Number.isFinite(at) ? ` on ${new Date(at).toISOString().slice(0, 10)}` : '';
      add({ apiVersion, declared, seenIn: `managed fields of ${name}`, who: `${name} wrote it${date}` });
    }
  }
  return [...found.values()].flatMap(together);
}

/** Whether nobody but Kubernetes itself has written an object. */
export function isOwn(object: KubernetesObject): boolean {
  const entries = entriesOf(object.metadata.managedFields);
  return entries.length > 0 && entries.every(({ manager }) => ownManagers.has(manager));
}

/** What several say of one version, the strongest first. */
function together(writings: readonly Writing[]): readonly Writing[] {
  const [first, ...others] = [...writings].sort(
    (one, other) => Number(other.declared) - Number(one.declared),
  );
  if (first === undefined) {
    return [];
  }
  const names = [...new Set([first, ...others].map(({ seenIn }) => seenIn))];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return [{ ...first, seenIn: `${names.slice(0, 3).join(', ')}${more}` }];
}

interface Entry {
  readonly manager: string;
  readonly apiVersion: string;
  readonly declared: boolean;
  /** Milliseconds since 1970; the beginning of time where it is not said. */
  readonly at: number;
}

function entriesOf(managedFields: unknown): readonly Entry[] {
  return (Array.isArray(managedFields) ? managedFields.slice(0, mostManagers) : []).flatMap(
    (each: unknown) => {
      const { manager, operation, apiVersion, time } = isPlainObject(each) ? each : {};
      const at = typeof time === 'string' ? Date.parse(time) : NaN;
      return isApiVersion(apiVersion)
        ? [
            {
              manager: typeof manager === 'string' ? manager : '',
              apiVersion,
              declared: operation === 'Apply',
              at: Number.isNaN(at) ? -Infinity : at,
            },
          ]
        : [];
    },
  );
}

/** Whether `kubectl apply` noted a manifest of it that can't be read: then nobody knows which version it declares. */
export function isIllegible(object: KubernetesObject): boolean {
  return readAnnotation(object) === 'illegible';
}

/** The version in the annotation; none where that is of another object. */
function lastApplied(object: KubernetesObject): string | undefined {
  const read = readAnnotation(object);
  return typeof read === 'object' ? read.apiVersion : undefined;
}

/** What the annotation says. Controllers copy annotations to what they make: one of another object is none. */
function readAnnotation({
  kind,
  metadata,
}: KubernetesObject): { readonly apiVersion: string } | 'none' | 'illegible' {
  const text: unknown = metadata.annotations?.[lastAppliedAnnotation];
  if (text === undefined) {
    return 'none';
  }
  if (typeof text !== 'string' || text.length > longestAnnotation) {
    return 'illegible';
  }
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return 'illegible';
  }
  if (!isPlainObject(manifest)) {
    return 'illegible';
  }
  const { apiVersion, kind: told, metadata: names } = manifest;
  if (typeof told === 'string' && isPlainObject(names) && (told !== kind || names.name !== metadata.name)) {
    return 'none';
  }
  return told === kind && isPlainObject(names) && isApiVersion(apiVersion) ? { apiVersion } : 'illegible';
}

/** Whether it reads like one: `v1`, `policy/v1beta1`. */
export function isApiVersion(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[a-z0-9.-]{1,253}\/)?[a-z0-9-]{1,63}$/i.test(value);
}
