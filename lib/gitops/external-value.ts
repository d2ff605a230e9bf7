import type { OptionsOf } from '../problems';
import { dnsSubdomain, someText, knownKeys } from '../problems';
import { goDuration } from './argo-rules';
import type { FieldChecks } from './field-checks';

/**
 * A value that stands in a secret store, and that the External Secrets Operator fetches into the cluster. Git, YAML and
 * Pulumi's state know where it is, never what it is.
 *
 * @see https://external-secrets.io/latest/api/externalsecret/
 *
 * @example
 * const privateKey = { fromStore: { clusterSecretStore: 'aws', key: 'argocd/github', property: 'privateKey' } };
 */
export interface ExternalValue {
  /** Where the value is. */
  readonly fromStore: StoredValue;
}

/** Where a value is: exactly one of `secretStore` and `clusterSecretStore`, and a key. */
export interface StoredValue {
  /** Name of a SecretStore in Argo CD's namespace. */
  readonly secretStore?: string;
  /** Name of a ClusterSecretStore. */
  readonly clusterSecretStore?: string;
  /** Name of the secret in the store. */
  readonly key: string;
  /** Field of that secret, where it is JSON. @default - the whole of it */
  readonly property?: string;
  /** Version of that secret. @default - the newest */
  readonly version?: string;
}

const storedValueKeys: OptionsOf<StoredValue> = {
  secretStore: 'plain',
  clusterSecretStore: 'plain',
  key: 'plain',
  property: 'plain',
  version: 'plain',
};

export const externalValueKeys: OptionsOf<ExternalValue> = { fromStore: storedValueKeys };

/** Whether something says where a value is. */
export function isExternal(value: unknown): value is ExternalValue {
  return typeof value === 'object' && value !== null && 'fromStore' in value;
}

/** Checks where a value is. */
export function checkExternalValue(checks: FieldChecks, path: string, { fromStore }: ExternalValue): void {
  const place: unknown = fromStore;
  if (typeof place !== 'object' || place === null) {
    checks.problems.addSecret(
      `${path}.fromStore`,
      'an object that says in which store the value is, and where',
    );
    return;
  }
  const fields = place as Readonly<Record<string, unknown>>;
  knownKeys(checks.problems, `${path}.fromStore`, fields, Object.keys(storedValueKeys));
  const stores = ['secretStore', 'clusterSecretStore'].filter((field) => fields[field] !== undefined);
  if (stores.length !== 1) {
    checks.problems.addSecret(`${path}.fromStore`, 'with exactly one of "secretStore", "clusterSecretStore"');
  }
  for (const field of stores) {
    checks.requiredSecretly(`${path}.fromStore.${field}`, fields[field], dnsSubdomain);
  }
  checks.requiredSecretly(`${path}.fromStore.key`, fields.key, someText);
  for (const field of ['property', 'version'].filter((each) => fields[each] !== undefined)) {
    checks.requiredSecretly(`${path}.fromStore.${field}`, fields[field], someText);
  }
}

/** The store of a value, as an ExternalSecret names it. */
export function storeOf({ fromStore }: ExternalValue): { readonly name: string; readonly kind: string } {
  return fromStore.clusterSecretStore === undefined
    ? { name: fromStore.secretStore ?? '', kind: 'SecretStore' }
    : { name: fromStore.clusterSecretStore, kind: 'ClusterSecretStore' };
}

/** The part of a store's secret that a value is, as an ExternalSecret names it. */
export function remoteReference({ fromStore }: ExternalValue): Readonly<Record<string, string>> {
  const { key, property, version } = fromStore;
  return {
    key,
    ...(property === undefined ? {} : { property }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Checks how often a store is asked: a Go duration, or `0` for once. */
export function checkRefreshInterval(checks: FieldChecks, path: string, interval: string | undefined): void {
  if (interval !== undefined && !/^0[a-z]*$/.test(interval)) {
    checks.optional(path, interval, goDuration);
  }
}
