import { outlivesAuthority } from '../../../core/certificates/lifetime';
import { formatDuration } from '../../../core/durations';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import {
  authorityOf,
  certificateName,
  issuedCertificates,
  issuerTypeOf,
  keepsKey,
  lifetimeOf,
} from '../../views/cert-manager';
import type { IssuedCertificate } from '../../views/cert-manager';
import { trustedCertificates } from '../../views/serving-certificates';
import { impactOf } from './shared/impact';

/** @see https://cert-manager.io/docs/configuration/ca/ */
export const tls04: Rule = {
  id: 'TLS04',
  severity: 'error',
  title: 'A certificate that can outlive its authority',
  why: "a CA issuer signs with the certificate it has, however soon that one expires, and does not sign again when it is renewed: the server's certificate then fails before it is renewed itself",
  fix: "make the certificate's duration at least 24h shorter than the renewBefore of its authority",
  otherwise:
    "an error for an operator's own kinds too, since it lasts until the next renewal. A warning where failures are ignored. An info where the authority keeps its key",
  *check({ objects }) {
    for (const certificate of objects.view(issuedCertificates).all) {
      if (!certificate.isCa) {
        yield* evaluate(objects, certificate);
      }
    }
  },
};

function* evaluate(objects: ObjectIndex, certificate: IssuedCertificate): Iterable<RawFinding> {
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
          'the Certificate of its authority is not among the manifests: whether this one can outlive it is not checked',
      };
    }
    return;
  }
  const trusting = objects.view(trustedCertificates).get(certificate);
  const [leaf, ca] = [lifetimeOf(certificate), lifetimeOf(authority)];
  if (leaf && ca && outlivesAuthority(leaf.duration, ca.renewBefore)) {
    const lives = `it lives ${inHours(leaf.duration)}, and its authority ${certificateName(authority)} is renewed ${inHours(ca.renewBefore)} before its end`;
    // The renewed certificate of the authority has the same key and name, and verifies what the one before signed.
    yield keepsKey(objects, authority)
      ? {
          ...{ object, pointer, severity: 'info' },
          message: `${lives}; the authority keeps its key, so its next certificate verifies this one as well`,
          why: 'a client that has only the old certificate of the authority, as in a bundle that is written by hand, refuses the server once that one ends',
        }
      : {
          ...{ object, pointer, message: lives },
          ...(trusting ? { severity: impactOf(objects, trusting, 'lasting') } : {}),
        };
  }
}

function inHours(milliseconds: number): string {
  return formatDuration(Math.floor(milliseconds));
}
