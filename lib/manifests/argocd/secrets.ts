import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { strings } from '../../core/tokens';
import { object, optional } from '../../core/validation/collections';
import { dnsSubdomain, nonEmptyText, textRule } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { secret } from '../../core/validation/values';
import { completed, withKeys } from '../field-schemas';
import type { Completion } from '../field-schemas';
import { positiveDuration } from './argo-object';

/** A value in a Secret of Argo CD's namespace: where it is, never what it is. */
export interface ArgoCdSecretKey {
  /** Name of the Secret. */
  readonly secretName: string;
  /** Key in the Secret. */
  readonly key: string;
}

/** A value in a ConfigMap of Argo CD's namespace. */
export interface ConfigMapKey {
  /** Name of the ConfigMap. */
  readonly configMapName: string;
  /** Key in the ConfigMap. */
  readonly key: string;
}

/** https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data */
const dataKey = textRule(
  /^[-._a-zA-Z0-9]{1,253}$/,
  'letters, digits, "-", "_" and ".", at most 253 characters',
);

/** Where a secret value is. The value itself would be no object, and is not shown. */
export function secretKeySchema(by?: Completion): Schema<ArgoCdSecretKey> {
  return secret(
    object<ArgoCdSecretKey>(
      { secretName: completed(dnsSubdomain, by), key: completed(dataKey, by) },
      'an object with "secretName" and "key", which name the place of the value',
    ),
  );
}

/** Where a value of a ConfigMap is. */
export function configMapKeySchema(by?: Completion): Schema<ConfigMapKey> {
  return secret(
    object<ConfigMapKey>(
      { configMapName: completed(dnsSubdomain, by), key: completed(dataKey, by) },
      'an object with "configMapName" and "key", which name the place of the value',
    ),
  );
}

/**
 * A value that is in a secret store, and that the External Secrets Operator fetches into the cluster. Git, YAML and
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

const filled = completed(nonEmptyText);

/** Where a value is. */
export const externalValueSchema: Schema<ExternalValue> = secret(
  object<ExternalValue>(
    {
      fromStore: withKeys(
        'exactly one',
        ['secretStore', 'clusterSecretStore'],
        object<StoredValue>({
          secretStore: optional(completed(dnsSubdomain)),
          clusterSecretStore: optional(completed(dnsSubdomain)),
          key: filled,
          property: optional(filled),
          version: optional(filled),
        }),
      ),
    },
    'an object with fromStore, which names the store of the value and its place there',
  ),
);

/** Whether something says where a value is. */
export function isExternal(value: unknown): value is ExternalValue {
  return typeof value === 'object' && value !== null && 'fromStore' in value;
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

/** How often a store is asked: a Go duration, or `0` for once. */
export const refreshInterval: Schema<never> = completed({
  allowed: `${positiveDuration.allowed}; or "0" for once`,
  accepts: (value) =>
    positiveDuration.accepts(value) || (typeof value === 'string' && /^0[a-z]*$/.test(value)),
});

const watched = new WeakSet<IConstruct>();

/**
 * Lets `cdk8s synth` fail, and Pulumi's `Manifests` as well, where an object anywhere below a construct's root holds a
 * private key in the clear: it would be in Git, or in a state file. The message names object, construct and field, and
 * nothing of the key. Constructs that hold credentials call it by themselves.
 *
 * @example
 * const app = new App();
 * argocd.forbidPlainTextKeys(app);
 */
export function forbidPlainTextKeys(scope: IConstruct): void {
  const { root } = scope.node;
  // One read of the whole tree a synthesis, however many ask for it.
  if (!watched.has(root)) {
    watched.add(root);
    root.node.addValidation({ validate: () => plainKeys(root) });
  }
}

function plainKeys(root: IConstruct): string[] {
  return root.node
    .findAll()
    .filter((construct): construct is ApiObject => ApiObject.isApiObject(construct))
    .flatMap((object) =>
      [...strings(object.toJson())]
        .filter(({ text }) => holdsPrivateKey(text))
        .map(
          ({ pointer, key }) =>
            `${object.kind} ${object.name} (${object.node.path}) ${key ? 'a key of it' : pointer}: a private key in the clear; ` +
            'take it from a Pulumi secret (bridge.outputToken), or from a secret store ({ fromStore })',
        ),
    );
}

/** The first line of a key, and something of its body: a mention of the line alone, in documentation, is no key. */
const privateKey = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----[\s\S]{0,200}?[A-Za-z0-9+/]{40}/;

/** Whether a text holds a private key, as it is, or in base64, as a Secret's `data` has it. */
export function holdsPrivateKey(text: string): boolean {
  return privateKey.test(text) || (base64.test(text) && privateKey.test(fromBase64(text)));
}

const base64 = /^[A-Za-z0-9+/\s]+(={1,2}\s*)?$/;

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
