import { outlivesAuthority } from '../../../certificates';
import { formatDuration } from '../../../durations';
import { authorityOf, certificateName, issuerTypeOf, lifetimeOf } from '../../objects/authorities';
import type { IssuedCertificate } from '../../objects/cert-manager';
import { issuedCertificates } from '../../objects/cert-manager';
import { trustedCertificates } from '../../objects/serving-certificates';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';

/** @see https://cert-manager.io/docs/configuration/ca/ */
export const tls04: Rule = {
  id: 'TLS04',
  severity: 'error',
  title: 'A certificate that can outlive its authority',
  why: "a CA issuer signs with the certificate it has, however soon that one ends, and does not sign again when it is renewed: the server's certificate then fails before it is renewed itself",
  fix: "make the certificate's duration at least 24h shorter than the renewBefore of its authority",
  *check({ objects }) {
    for (const certificate of objects.view(issuedCertificates).all) {
      if (!certificate.isCa) {
        yield* judge(objects, certificate);
      }
    }
  },
};

function* judge(objects: ObjectIndex, certificate: IssuedCertificate): Iterable<RawFinding> {
  const { object, spec } = certificate;
  const pointer = spec.get('duration').pointer;
  const authority = authorityOf(objects, certificate);
  if (!authority) {
    const type = issuerTypeOf(objects, certificate);
    if ((type === undefined || type === 'ca') && objects.view(trustedCertificates).has(certificate)) {
      yield {
        object,
        pointer,
        severity: 'info',
        message:
          'the Certificate of its authority is not among the manifests: whether this one can outlive it is not judged',
      };
    }
    return;
  }
  const [leaf, ca] = [lifetimeOf(certificate), lifetimeOf(authority)];
  if (leaf && ca && outlivesAuthority(leaf.duration, ca.renewBefore)) {
    const lives = `it lives ${inHours(leaf.duration)}, and its authority ${certificateName(authority)} is renewed ${inHours(ca.renewBefore)} before its end`;
    // The renewed certificate of the authority has the same key and name, and verifies what the one before signed.
    const keepsKey = authority.spec.get('privateKey', 'rotationPolicy').text === 'Never';
    yield keepsKey
      ? {
          ...{ object, pointer, severity: 'info' },
          message: `${lives}; the authority keeps its key, so its next certificate verifies this one as well`,
          why: 'a client that has only the old certificate of the authority, as in a bundle that is written by hand, refuses the server once that one ends',
        }
      : { object, pointer, message: lives };
  }
}

function inHours(milliseconds: number): string {
  return formatDuration(Math.floor(milliseconds));
}
