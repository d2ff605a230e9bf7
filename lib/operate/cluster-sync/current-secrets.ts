import type { KubernetesObject } from '../../core/kubernetes/api';
import { arnKey, fieldManager, missingSinceKey, ownerKey, secretTypeLabel } from '../../core/names';
import type { DesiredSecret } from './desired-secrets';

/** One field of a Secret that is not as it should be. Values are shown of labels and of what is short. */
export interface ChangedField {
  /** `server`, `config`, `labels.env`, `annotations.note`, `missing since` */
  readonly field: string;
  /** Left out where it is long, or where there was nothing. */
  readonly from?: string;
  /** Left out where it is long, or where there is to be nothing. */
  readonly to?: string;
}

/** Fields whose values are long, or have no meaning to a reader. */
const untold = new Set(['config']);

/** What has to be written so that a Secret is as it should be; keys that others keep on it do not count. */
export function differences(desired: DesiredSecret, current: OwnedSecret): readonly ChangedField[] {
  return [
    ...changed('', desired.data, current.data, current.written.data),
    ...changed('labels.', desired.labels, current.labels, current.written.labels),
    ...changed('annotations.', desired.annotations, current.annotations, current.written.annotations),
  ];
}

function changed(
  prefix: string,
  desired: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
  written: readonly string[],
): readonly ChangedField[] {
  const other = Object.entries(desired).filter(([key, value]) => valueOf(current, key) !== value);
  const gone = written.filter(
    (key) => valueOf(desired, key) === undefined && valueOf(current, key) !== undefined,
  );
  return [...other.map(([key]) => key), ...gone].map((key) => {
    const [from, to] = [valueOf(current, key), valueOf(desired, key)];
    return {
      field: `${prefix}${key}`,
      ...(untold.has(key) || from === undefined ? {} : { from }),
      ...(untold.has(key) || to === undefined ? {} : { to }),
    };
  });
}

function valueOf(values: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** A Secret of the hub, as far as the set may read it. */
export interface CurrentSecret {
  /** Name of the Secret. */
  readonly name: string;
  /** UID of the Secret, so that another one of the same name is not touched. */
  readonly uid: string;
  /** Whether Argo CD takes it for a cluster's. */
  readonly isCluster: boolean;
  /** Set that owns it; unset where there is none. */
  readonly owner?: string;
  /** ARN of the cluster that it registers, where a set owns it. */
  readonly arn?: string;
  /** Name in Argo CD. */
  readonly clusterName?: string;
  /** Address in Argo CD. */
  readonly server?: string;
  /** The rest is known of the set's own Secrets alone. */
  readonly own?: OwnedSecret;
}

/** What a set knows of a Secret of its own. */
export interface OwnedSecret {
  /** Changes with every write. */
  readonly resourceVersion: string;
  /** In milliseconds since 1970. */
  readonly missingSince?: number;
  /** Labels, those of others included. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations, those of others included. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Plain text. */
  readonly data: Readonly<Record<string, string>>;
  /** Keys that the set wrote, and therefore may take away: others keep keys of their own on it. */
  readonly written: {
    /** Names of labels. */
    readonly labels: readonly string[];
    /** Names of annotations. */
    readonly annotations: readonly string[];
    /** Keys of `data`. */
    readonly data: readonly string[];
  };
}

/**
 * Reads a Secret. Of one with another owner, which may hold credentials, only name and address are kept.
 *
 * @param owner name of the set that looks
 */
export function currentSecret(object: KubernetesObject, owner: string): CurrentSecret {
  const { name, uid = '', labels = {}, annotations = {} } = object.metadata;
  const data = (object.data ?? {}) as Readonly<Record<string, string>>;
  const [clusterName, server] = [data.name, data.server].map((value) =>
    value === undefined ? value : plain(value),
  );
  const owned = ownerOf(labels, annotations);
  return {
    name,
    uid,
    isCluster: labels[secretTypeLabel] === 'cluster',
    ...(owned === undefined ? {} : { owner: owned }),
    ...(owned === undefined || annotations[arnKey] === undefined ? {} : { arn: annotations[arnKey] }),
    ...(clusterName === undefined ? {} : { clusterName }),
    ...(server === undefined ? {} : { server }),
    ...(owned === owner ? { own: ownSecret(object, data) } : {}),
  };
}

/** Both marks have to name the set; a copied label alone is a mistake. */
function ownerOf(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): string | undefined {
  return labels[ownerKey] !== undefined && labels[ownerKey] === annotations[ownerKey]
    ? labels[ownerKey]
    : undefined;
}

function ownSecret({ metadata }: KubernetesObject, data: Readonly<Record<string, string>>): OwnedSecret {
  const { labels = {}, annotations = {}, resourceVersion = '' } = metadata;
  const since = Date.parse(annotations[missingSinceKey] ?? '');
  return {
    resourceVersion,
    labels,
    annotations,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, plain(value)])),
    ...(Number.isNaN(since) ? {} : { missingSince: since }),
    written: writtenKeys(metadata.managedFields),
  };
}

function plain(value: string): string {
  return Buffer.from(value, 'base64').toString();
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: FieldTree;
}

interface FieldTree {
  readonly [field: string]: FieldTree | undefined;
}

/** @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
function writtenKeys(managedFields: unknown): OwnedSecret['written'] {
  const applied = ((managedFields ?? []) as readonly ManagedFields[]).filter(
    ({ manager, operation }) => manager === fieldManager && operation === 'Apply',
  );
  const keysOf = (treeOf: (fields: FieldTree) => FieldTree | undefined): readonly string[] =>
    applied.flatMap(({ fieldsV1 = {} }) =>
      Object.keys(treeOf(fieldsV1) ?? {}).flatMap((key) => (key.startsWith('f:') ? [key.slice(2)] : [])),
    );
  return {
    labels: keysOf((fields) => fields['f:metadata']?.['f:labels']),
    annotations: keysOf((fields) => fields['f:metadata']?.['f:annotations']),
    data: keysOf((fields) => fields['f:data']),
  };
}
