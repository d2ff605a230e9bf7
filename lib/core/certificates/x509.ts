import { X509Certificate, createHash } from 'node:crypto';

/** The certificates in a PEM text. What can't be read is left out, as API servers leave it out of a CA bundle. */
export function readCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

/** A CA bundle of these certificates, as PEM. */
export function bundlePem(certificates: readonly X509Certificate[]): string {
  return certificates.map((each) => each.toString().trimEnd() + '\n').join('');
}

/** An authority's certificate, as gates compare it. */
export function trustAnchor(certificate: X509Certificate): TrustAnchor {
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
export function serverCertificate(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
): ServerCertificate {
  const signer = authorities.find((each) => isSignedBy(certificate, each));
  return {
    signer: signer ? trustAnchor(signer) : { subject: certificate.issuer, key: '' },
    dnsNames: dnsNamesOf(certificate),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

/**
 * Whether an authority signed a certificate: by name and by signature. Key identifiers are not compared, as API servers
 * don't: a renewal under the same key may change them.
 */
export function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  try {
    return certificate.issuer === authority.subject && certificate.verify(authority.publicKey);
  } catch {
    // A key of a kind that OpenSSL can't use.
    return false;
  }
}

/**
 * Whether API servers take a certificate for one that signs others: of version 3, it must say so; older ones can't.
 * @see https://github.com/golang/go/blob/go1.26.0/src/crypto/x509/x509.go (CheckSignatureFrom)
 */
export function mayIssue(certificate: X509Certificate): boolean {
  return certificate.ca || !hasVersion(certificate.raw);
}

/** Whether the certificate names its version, as all but those of version 1 do (RFC 5280, 4.1). */
function hasVersion(der: Buffer): boolean {
  const past = (position: number): number => {
    const length = der[position + 1] ?? 0;
    return position + 2 + (length < 0x80 ? 0 : length - 0x80);
  };
  // The outer sequence holds the signed one, which begins with the version, tag 0.
  return der[past(past(0))] === 0xa0;
}

/** The DNS names that a certificate is valid for. The common name is none of them, for API servers. */
export function dnsNamesOf({ subjectAltName }: X509Certificate): string[] {
  // OpenSSL's text: "DNS:a.svc, IP Address:10.0.0.1"; a name with a special character stands in quotes.
  return [...(subjectAltName ?? '').matchAll(/DNS:("(?:[^"\\]|\\.)*"|[^,\s]+)/g)].map(([, name]) => name!);
}

/** What verifies a signature: the name of an authority and its key. Certificates that share both verify the same. */
export interface AuthorityKey {
  /** Subject of the authority's certificate, as leaves name their issuer. */
  readonly subject: string;
  /** SHA-256 of the public key (its SubjectPublicKeyInfo), in hex. */
  readonly key: string;
}

/** A certificate of an authority, as a CA bundle holds it. Times are milliseconds since 1970. */
export interface TrustAnchor extends AuthorityKey {
  /** It is valid from then on. */
  readonly notBefore: number;
  /** It is valid until then. */
  readonly notAfter: number;
}

/** A certificate that a server serves. Times are milliseconds since 1970. */
export interface ServerCertificate {
  /** The authority that signed it. */
  readonly signer: AuthorityKey;
  /** DNS names that it is valid for. */
  readonly dnsNames: readonly string[];
  /** It is valid from then on. */
  readonly notBefore: number;
  /** It is valid until then. */
  readonly notAfter: number;
}

/** Whether two certificates are of one authority: by its name and its key, whatever else changed at a renewal. */
export function sameAuthority(one: AuthorityKey, other: AuthorityKey): boolean {
  return one.subject === other.subject && one.key === other.key;
}

/** Whether a certificate is valid at a time. */
export function validAt(
  now: number,
  { notBefore, notAfter }: { readonly notBefore: number; readonly notAfter: number },
): boolean {
  return notBefore <= now && now <= notAfter;
}

/** Whether a bundle holds a valid certificate of an authority. */
export function holds(bundle: readonly TrustAnchor[], authority: AuthorityKey, now: number): boolean {
  return bundle.some((anchor) => sameAuthority(anchor, authority) && validAt(now, anchor));
}

/**
 * Whether a certificate is valid for a name, as API servers evaluate it: `*` stands for one whole label, the first.
 * @see https://pkg.go.dev/crypto/x509#Certificate.VerifyHostname
 */
export function namesServer(dnsNames: readonly string[], serverName: string): boolean {
  const wanted = serverName.toLowerCase();
  return dnsNames.some((each) => {
    const name = each.toLowerCase();
    return name.startsWith('*.')
      ? wanted.includes('.') && wanted.slice(wanted.indexOf('.')) === name.slice(1)
      : name === wanted;
  });
}
