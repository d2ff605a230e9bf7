import type { Change } from '../../change';
import { authorityOf, certificateName, injectedCertificate, issuerTypeOf } from '../../objects/authorities';
import type { IssuedCertificate } from '../../objects/cert-manager';
import { installedCertManager } from '../../objects/cert-manager-version';
import type { ObjectIndex } from '../../object-index';
import type { CaSource } from '../../objects/trusting-objects';
import { trustRule } from './trust-rule';

/** @see https://cert-manager.io/docs/concepts/ca-injector/ */
export const tls02 = trustRule({
  id: 'TLS02',
  severity: 'error',
  title: "CA injected from the server's own certificate",
  why: 'its Secret brings CA and certificate in one write: when another key signs, pods may serve the new certificate before API servers trust its CA, and no gate can stand between',
  fix: "inject from the authority's Certificate: cert-manager.io/inject-ca-from with the Certificate whose key the issuer signs with",
  *judge({ objects }, { object, sources }) {
    const [source] = sources;
    const certificate = source && injectedCertificate(objects, source);
    if (!certificate || certificate.isCa) {
      return;
    }
    const type = issuerTypeOf(objects, certificate);
    if (type === 'selfSigned' || type === 'acme') {
      // Worse, and said by the rules for that.
      return;
    }
    const authority = authorityOf(objects, certificate);
    const mend = authority && mendOf(objects, source, authority);
    yield {
      object,
      pointer: source.field.pointer,
      message: `the CA is injected from the Certificate ${certificateName(certificate)}, which is a server's${
        authority ? `; its authority is the Certificate ${certificateName(authority)}` : ''
      }`,
      ...(mend ? { mend } : {}),
    };
  },
});

/** Safe where the injector keeps the CA that a bundle has: an old one would put the new CA in its place at once. */
function mendOf(
  objects: ObjectIndex,
  { by, field }: CaSource,
  { object: { namespace, name } }: IssuedCertificate,
): readonly Change[] | undefined {
  const { merges } = objects.view(installedCertManager);
  return by !== 'certificate' || namespace === undefined || merges === false
    ? undefined
    : [{ op: 'replace', path: field.pointer, value: `${namespace}/${name}` }];
}
