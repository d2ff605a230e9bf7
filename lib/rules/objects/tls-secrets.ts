import type { X509Certificate } from 'node:crypto';
import { dnsNamesOf } from '../../certificates';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import { NamespacedMap } from '../namespaced-map';
import type { ObjectIndex } from '../object-index';
import { readPem, readPemBase64 } from './pem';

/** A Secret with a private key in it, and the certificates beside it. Nothing of its values may get into a message. */
export interface TlsSecret {
  /** The Secret. */
  readonly object: JudgedObject;
  /** What the server serves: the first certificate of `tls.crt`, else the first one of all that names a server. */
  readonly leaf?: X509Certificate;
  /** Where the leaf stands. @default - there is none */
  readonly leafField?: Field;
  /** How many certificates could not be read. */
  readonly unreadable: number;
  /** The private key, in PEM. */
  readonly key: string;
}

/** Every Secret with a private key. */
export interface TlsSecrets {
  /** Every one. */
  readonly all: readonly TlsSecret[];
  /** The one of that name, if it is there. */
  named(namespace: string | undefined, name: string): TlsSecret | undefined;
  /** Those whose certificate is valid for a DNS name. */
  naming(namespace: string | undefined, dnsName: string): readonly TlsSecret[];
  /** Those whose certificate names an issuer, as its subject has it. */
  issuedBy(namespace: string | undefined, issuer: string): readonly TlsSecret[];
}

/** View of the Secrets with a private key: `objects.view(tlsSecrets)`. */
export function tlsSecrets(objects: ObjectIndex): TlsSecrets {
  const all = objects.ofKind('', 'Secret').flatMap((object) => tlsSecretOf(objects, object) ?? []);
  const byName = new NamespacedMap<TlsSecret>();
  const byDnsName = new NamespacedMap<TlsSecret>();
  const byIssuer = new NamespacedMap<TlsSecret>();
  for (const each of all) {
    byName.add(each.object.namespace, each.object.name, each);
    for (const name of new Set(each.leaf ? dnsNamesOf(each.leaf) : [])) {
      byDnsName.add(each.object.namespace, name, each);
    }
    if (each.leaf) {
      byIssuer.add(each.object.namespace, each.leaf.issuer, each);
    }
  }
  return {
    all,
    named: (namespace, name) => byName.get(namespace, name)[0],
    naming: (namespace, dnsName) => byDnsName.get(namespace, dnsName),
    issuedBy: (namespace, issuer) => byIssuer.get(namespace, issuer),
  };
}

/** How PEM begins, in base64: cheap to look for among values that are none. */
const pemInBase64 = 'LS0tLS1CRUdJTi';
const pem = '-----BEGIN ';
const privateKey = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

function tlsSecretOf(objects: ObjectIndex, object: JudgedObject): TlsSecret | undefined {
  const values = pemValues(object);
  const key = values.find(({ text }) => privateKey.test(text))?.text;
  if (key === undefined) {
    return undefined;
  }
  const contents = values.map(({ name, field, text }) => ({ name, field, content: readPem(objects, text) }));
  const serving = contents.find(({ name }) => name === 'tls.crt');
  const named = contents.find(({ content }) =>
    content.certificates.some((each) => dnsNamesOf(each).length > 0),
  );
  const chosen = serving ?? named;
  const leaf = chosen?.content.certificates[0];
  const unreadable = contents.reduce((sum, { content }) => sum + content.unreadable, 0);
  return { object, key, unreadable, ...(leaf ? { leaf, leafField: chosen.field } : {}) };
}

interface PemValue {
  readonly name: string;
  readonly field: Field;
  readonly text: string;
}

function pemValues(object: JudgedObject): PemValue[] {
  const secret = Field.of(object);
  return [
    ...secret
      .get('data')
      .entries.flatMap(([name, field]) =>
        field.text?.startsWith(pemInBase64) === true
          ? [{ name, field, text: Buffer.from(field.text, 'base64').toString('latin1') }]
          : [],
      ),
    ...secret
      .get('stringData')
      .entries.flatMap(([name, field]) =>
        field.text?.includes(pem) === true ? [{ name, field, text: field.text }] : [],
      ),
  ];
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
