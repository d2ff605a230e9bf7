/** What verifies a signature: the name of an authority and its key. Certificates that share both verify the same. */
export interface AuthorityKey {
  /** Subject of the authority's certificate, as leaves name their issuer. */
  readonly subject: string;
  /** SHA-256 of the public key (its SubjectPublicKeyInfo), in hex. */
  readonly key: string;
}

/** A certificate of an authority, as a CA bundle holds it. Times are milliseconds since 1970. */
export interface Anchor extends AuthorityKey {
  /** It is valid from then on. */
  readonly notBefore: number;
  /** It is valid until then. */
  readonly notAfter: number;
}

/** A certificate that a server serves. Times are milliseconds since 1970. */
export interface Leaf {
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
export function holds(bundle: readonly Anchor[], authority: AuthorityKey, now: number): boolean {
  return bundle.some((anchor) => sameAuthority(anchor, authority) && validAt(now, anchor));
}

/**
 * Whether a certificate is valid for a name, as API servers judge it: `*` stands for one whole label, the first.
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
