import type { X509Certificate } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { Anchor, Leaf } from './signing';

/** An authority's certificate, as gates compare it. */
export function anchorOf(certificate: X509Certificate): Anchor {
  return {
    subject: certificate.subject,
    key: keyOf(certificate),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

function keyOf(certificate: X509Certificate): string {
  try {
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(key).digest('hex');
  } catch {
    // A key of a kind that OpenSSL can't use: no other certificate is known to share it.
    return certificate.fingerprint256;
  }
}

/**
 * A server's certificate, as gates compare it.
 *
 * @param authorities those that may have signed it
 * @returns a leaf whose signer has no key where none of them has
 */
export function leafOf(certificate: X509Certificate, authorities: readonly X509Certificate[]): Leaf {
  const signer = authorities.find((each) => signed(certificate, each));
  return {
    signer: signer ? anchorOf(signer) : { subject: certificate.issuer, key: '' },
    dnsNames: dnsNamesOf(certificate),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

/**
 * Whether an authority signed a certificate: by name and by signature. Key identifiers are not compared, as API servers
 * don't: a renewal under the same key may change them.
 */
export function signed(certificate: X509Certificate, authority: X509Certificate): boolean {
  try {
    return certificate.issuer === authority.subject && certificate.verify(authority.publicKey);
  } catch {
    // A key of a kind that OpenSSL can't use.
    return false;
  }
}

/** The DNS names that a certificate is valid for. The common name is none of them, for API servers. */
export function dnsNamesOf({ subjectAltName }: X509Certificate): string[] {
  // OpenSSL's text: "DNS:a.svc, IP Address:10.0.0.1"; a name with a special character stands in quotes.
  return [...(subjectAltName ?? '').matchAll(/DNS:("(?:[^"\\]|\\.)*"|[^,\s]+)/g)].map(([, name]) => name!);
}
