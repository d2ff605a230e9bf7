import { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { JsonPatchOperation, RawFinding } from '../../rule';
import {
  authorityOf,
  certificateName,
  injectedCertificate,
  installedCertManager,
  issuerOf,
  issuerTypeOf,
  keepsKey,
} from '../../views/cert-manager';
import type { IssuedCertificate, IssuerType } from '../../views/cert-manager';
import type { CaSource } from '../../views/trust';
import { impactOf, renewalsInWords } from './shared/impact';
import { trustRule } from './shared/trust-rule';

/** @see https://cert-manager.io/docs/concepts/ca-injector/ */
export const tls02 = trustRule({
  id: 'TLS02',
  severity: 'error',
  title: "CA injected from the server's own certificate",
  why: 'its Secret brings CA and certificate in one write: when another key signs, pods may serve the new certificate before API servers trust its CA, and no gate can come between',
  fix: "inject from the authority's Certificate: cert-manager.io/inject-ca-from with the Certificate whose key the issuer signs with",
  otherwise: `a warning where the authority keeps its key, since nothing is refused until that is changed. Otherwise ${renewalsInWords}`,
  *evaluate({ objects }, trusting) {
    const { object, sources } = trusting;
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
    const patch = authority && patchOf(objects, source, authority);
    const keeps = authority !== undefined && keepsKey(objects, authority);
    yield {
      object,
      pointer: source.field.pointer,
      ...(authority
        ? keeps
          ? { severity: 'warning', why: whyKept }
          : { severity: impactOf(objects, [trusting], 'renewal') }
        : withoutAuthority(objects, certificate, type)),
      message: `the CA is injected from the Certificate ${certificateName(certificate)}, which is a server's${
        authority ? `; its authority is the Certificate ${certificateName(authority)}` : ''
      }`,
      ...(patch ? { fixPatch: patch } : {}),
    };
  },
});

const whyKept =
  'its Secret brings CA and certificate in one write: its authority keeps its key, so nothing is refused until that changes, and no gate can come between then';

/**
 * Only a CA issuer whose key is a Certificate's has a Certificate to inject from. Vault, AWS Private CA and the like change
 * what they sign with once in years, and somebody has to put that certificate into a Secret.
 *
 * @see https://cert-manager.io/docs/concepts/ca-injector/ (Injecting CA data from a Secret resource)
 */
function withoutAuthority(
  objects: ObjectIndex,
  certificate: IssuedCertificate,
  type: IssuerType | undefined,
): Pick<RawFinding, 'severity' | 'fix'> {
  if (type === undefined) {
    return {
      severity: 'info',
      fix: 'lint it together with its issuer: an authority that is a Certificate is what to inject from',
    };
  }
  const issuer = issuerOf(objects, certificate);
  const secret = issuer && Field.of(issuer).get('spec', 'ca', 'secretName').text;
  const from =
    secret === undefined ? 'a Secret with the certificate of the authority' : `the Secret ${secret}`;
  return {
    severity: 'warning',
    fix: `inject from ${from}: cert-manager.io/inject-ca-from-secret, and cert-manager.io/allow-direct-injection: "true" on the Secret`,
  };
}

/** Safe where the injector keeps the CA that a bundle has: an old one would put the new CA in its place at once. */
function patchOf(
  objects: ObjectIndex,
  { by, field }: CaSource,
  { object: { namespace, name } }: IssuedCertificate,
): readonly JsonPatchOperation[] | undefined {
  const { merges } = objects.view(installedCertManager);
  return by !== 'certificate' || namespace === undefined || merges === false
    ? undefined
    : [{ op: 'replace', path: field.pointer, value: `${namespace}/${name}` }];
}
