import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf, signed } from '../../certificates';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import { NamespacedMap } from '../namespaced-map';
import type { ObjectIndex } from '../object-index';
import { keyBelongs, readPem, readPemBase64 } from './pem';

/**
 * A certificate of a Secret that has private keys. In which order the Secret has its values never matters. Nothing of them
 * may get into a message.
 */
export interface TlsSecret {
  /** The Secret. */
  readonly object: JudgedObject;
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
  const byName = new NamespacedMap<TlsSecret>();
  const byDnsName = new NamespacedMap<TlsSecret>();
  const byIssuer = new NamespacedMap<TlsSecret>();
  const byCertificate = new NamespacedMap<TlsSecret>();
  for (const each of all) {
    byName.add(each.object.namespace, each.object.name, each);
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
    named: (namespace, name) => byName.get(namespace, name),
    naming: (namespace, dnsName) => byDnsName.get(namespace, dnsName),
    verifiedBy: (namespace, anchor) => [
      ...byCertificate.get(namespace, anchor.fingerprint256),
      ...byIssuer.get(namespace, anchor.subject).filter(({ leaf }) => leaf && signed(leaf, anchor)),
    ],
  };
}

/** How PEM begins, in base64: cheap to look for among values that are none. */
const pemInBase64 = 'LS0tLS1CRUdJTi';
const pem = '-----BEGIN ';
const privateKey = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

function tlsSecretsOf(objects: ObjectIndex, object: JudgedObject): TlsSecret[] {
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
function pemValues(object: JudgedObject): PemValue[] {
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
  secret: JudgedObject,
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
