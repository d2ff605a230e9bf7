import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf, mayIssue, isSignedBy } from '../../core/certificates/x509';
import { Field } from '../object';
import type { ManifestObject } from '../object';
import { NamespacedMap } from '../object-index';
import type { ObjectIndex } from '../object-index';
import { keyBelongs, readPem, readPemBase64 } from './pem';
import { workloads } from './workloads';
import type { Container, Workload } from './workloads';

/**
 * A certificate of a Secret that has private keys. In which order the Secret has its values never matters. Nothing of them
 * may get into a message.
 */
export interface TlsSecret {
  /** The Secret. */
  readonly object: ManifestObject;
  /** What a server serves: the first certificate of `tls.crt`; without one, that of a value which names a server. */
  readonly leaf?: X509Certificate;
  /** Where the leaf stands. @default - there is none */
  readonly leafField?: Field;
  /** How many certificates could not be read. */
  readonly unreadable: number;
  /** The leaf's private key, in PEM: `tls.key` beside `tls.crt`, else one that belongs to it, else any. */
  readonly key: string;
}

/** Every Secret with a private key: once, unless several of its values name servers and none is `tls.crt`. */
export interface TlsSecrets {
  /** Every one. */
  readonly all: readonly TlsSecret[];
  /** Those of that name. */
  named(namespace: string | undefined, name: string): readonly TlsSecret[];
  /** Those whose certificate is valid for a DNS name. */
  naming(namespace: string | undefined, dnsName: string): readonly TlsSecret[];
  /** Those whose certificate an anchor verifies: it is the same one, or signed it. */
  verifiedBy(namespace: string | undefined, anchor: X509Certificate): readonly TlsSecret[];
}

/** View of the Secrets with a private key: `objects.view(tlsSecrets)`. */
export function tlsSecrets(objects: ObjectIndex): TlsSecrets {
  const all = objects.ofKind('', 'Secret').flatMap((object) => tlsSecretsOf(objects, object));
  const record = new NamespacedMap<TlsSecret>();
  const byDnsName = new NamespacedMap<TlsSecret>();
  const byIssuer = new NamespacedMap<TlsSecret>();
  const byCertificate = new NamespacedMap<TlsSecret>();
  for (const each of all) {
    record.add(each.object.namespace, each.object.name, each);
    for (const name of new Set(each.leaf ? dnsNamesOf(each.leaf) : [])) {
      byDnsName.add(each.object.namespace, name, each);
    }
    if (each.leaf) {
      byIssuer.add(each.object.namespace, each.leaf.issuer, each);
      byCertificate.add(each.object.namespace, each.leaf.fingerprint256, each);
    }
  }
  return {
    all,
    named: (namespace, name) => record.get(namespace, name),
    naming: (namespace, dnsName) => byDnsName.get(namespace, dnsName),
    verifiedBy: (namespace, anchor) => [
      ...byCertificate.get(namespace, anchor.fingerprint256),
      ...byIssuer
        .get(namespace, anchor.subject)
        .filter(({ leaf }) => leaf && mayIssue(anchor) && isSignedBy(leaf, anchor)),
    ],
  };
}

/** How PEM begins, in base64: cheap to look for among values that are none. */
const pemInBase64 = 'LS0tLS1CRUdJTi';

const pem = '-----BEGIN ';

const privateKey = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

function tlsSecretsOf(objects: ObjectIndex, object: ManifestObject): TlsSecret[] {
  const values = pemValues(object);
  const keys = values.filter(({ text }) => privateKey.test(text));
  const [anyKey] = keys;
  if (!anyKey) {
    return [];
  }
  const contents = values.map(({ name, field, text }) => ({ name, field, content: readPem(objects, text) }));
  const unreadable = contents.reduce((sum, { content }) => sum + content.unreadable, 0);
  const serving = contents.find(({ name }) => name === 'tls.crt');
  const named = contents.filter(({ content }) =>
    content.certificates.some((each) => dnsNamesOf(each).length > 0),
  );
  const served = (serving ? [serving] : named).flatMap(({ name, field, content: { certificates } }) => {
    const [leaf] = certificates;
    return leaf
      ? [{ object, unreadable, leaf, leafField: field, key: (keyOf(name, leaf, keys) ?? anyKey).text }]
      : [];
  });
  return served.length > 0 ? served : [{ object, unreadable, key: anyKey.text }];
}

/** By its name, `server.key` of `server.crt`; else that of the same value; else whichever belongs to the certificate. */
function keyOf(name: string, leaf: X509Certificate, keys: readonly PemValue[]): PemValue | undefined {
  const twin = `${name.replace(/\.[^.]*$/, '')}.key`;
  return (
    keys.find((each) => each.name === twin) ??
    keys.find((each) => each.name === name) ??
    keys.find(({ text }) => keyBelongs(leaf, text))
  );
}

interface PemValue {
  readonly name: string;
  readonly field: Field;
  readonly text: string;
}

/** By their names; of a name that is in both, the API server takes `stringData`. */
function pemValues(object: ManifestObject): PemValue[] {
  const secret = Field.of(object);
  const [encoded, plain] = [secret.get('data'), secret.get('stringData')];
  const values = [
    ...encoded.entries.flatMap(([name, field]) =>
      field.text?.startsWith(pemInBase64) === true && !plain.get(name).exists
        ? [{ name, field, text: Buffer.from(field.text, 'base64').toString('latin1') }]
        : [],
    ),
    ...plain.entries.flatMap(([name, field]) =>
      field.text?.includes(pem) === true ? [{ name, field, text: field.text }] : [],
    ),
  ];
  return values.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Certificates of a Secret's `ca.crt`.
 *
 * @returns nothing where the Secret has none
 */
export function caCertificates(
  objects: ObjectIndex,
  secret: ManifestObject,
): readonly X509Certificate[] | undefined {
  const field = Field.of(secret);
  const [encoded, plain] = [field.get('data', 'ca.crt').text, field.get('stringData', 'ca.crt').text];
  const content =
    plain !== undefined
      ? readPem(objects, plain)
      : encoded === undefined
        ? undefined
        : readPemBase64(objects, encoded);
  return content?.certificates;
}

/** A use of a Secret by pods. */
export interface SecretUse {
  /** The object whose pods use it. */
  readonly workload: Workload;
  /** Name of the Secret. */
  readonly secret: string;
  /**
   * - `directory`: mounted as a whole, so the files follow the Secret
   * - `subPath`: mounted file by file, so they never change in a running pod
   * - `env`: read into the environment, which never changes in a running process
   * - `volume`: a volume that no container mounts
   */
  readonly by: 'directory' | 'subPath' | 'env' | 'volume';
  /** The mount, the variable, or the volume. */
  readonly field: Field;
  /** The container that uses it. @default - of no container: a volume that none mounts */
  readonly container?: Container;
  /** Where it is mounted. @default - it is not */
  readonly path?: string;
  /** Key of the Secret. @default - all of them */
  readonly key?: string;
}

/**
 * How pods use a Secret: by volumes, projected ones included, and by the environment.
 *
 * @param namespace that of the pods, since a pod can't use a Secret of another one
 */
export function usesOfSecret(
  objects: ObjectIndex,
  namespace: string | undefined,
  secret: string,
): readonly SecretUse[] {
  return objects.view(secretUses).get(namespace, secret);
}

function secretUses(objects: ObjectIndex): NamespacedMap<SecretUse> {
  const found = new NamespacedMap<SecretUse>();
  for (const workload of objects.view(workloads).all) {
    for (const use of [...volumeUses(workload), ...environmentUses(workload)]) {
      found.add(workload.object.namespace, use.secret, use);
    }
  }
  return found;
}

function volumeUses(workload: Workload): SecretUse[] {
  return workload.volumes.flatMap((volume) => {
    const name = volume.get('name').text;
    const mounts = workload.containers.flatMap((container) =>
      container.field
        .get('volumeMounts')
        .items.filter((mount) => name !== undefined && mount.get('name').text === name)
        .map((field) => ({ container, field })),
    );
    return secretsOf(volume).flatMap((secret): SecretUse[] =>
      mounts.length === 0
        ? [{ workload, secret, by: 'volume', field: volume }]
        : mounts.map(({ container, field }) => ({
            workload,
            secret,
            by: field.get('subPath').exists || field.get('subPathExpr').exists ? 'subPath' : 'directory',
            field,
            container,
            path: field.get('mountPath').text ?? '',
          })),
    );
  });
}

function secretsOf(volume: Field): string[] {
  const projected = volume.get('projected', 'sources').items.map((source) => source.get('secret', 'name'));
  return [volume.get('secret', 'secretName'), ...projected].flatMap(({ text }) => text ?? []);
}

function environmentUses(workload: Workload): SecretUse[] {
  return workload.containers.flatMap((container) => {
    const variables = container.field.get('env').items.map((variable) => ({
      field: variable,
      reference: variable.get('valueFrom', 'secretKeyRef'),
    }));
    const all = container.field
      .get('envFrom')
      .items.map((each) => ({ field: each, reference: each.get('secretRef') }));
    return [...variables, ...all].flatMap(({ field, reference }): SecretUse[] => {
      const [secret, key] = [reference.get('name').text, reference.get('key').text];
      return secret === undefined
        ? []
        : [{ workload, secret, by: 'env', field, container, ...(key === undefined ? {} : { key }) }];
    });
  });
}
