import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mayIssue, isSignedBy } from '../../core/certificates/x509';
import type { ObjectIndex } from '../object-index';

/** What a PEM text holds. */
export interface PemContent {
  /** In the order of the text. */
  readonly certificates: readonly X509Certificate[];
  /** How many blocks that say CERTIFICATE could not be read. */
  readonly unreadable: number;
  /** Whether there is a private key. */
  readonly hasKey: boolean;
}

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Certificates of a PEM text; each text is read once. */
export function readPem(objects: ObjectIndex, text: string): PemContent {
  const cache = objects.view(pemCache);
  let found = cache.get(text);
  if (!found) {
    cache.set(text, (found = contentOf(text)));
  }
  return found;
}

/** Certificates of a PEM text in base64, as `caBundle` and a Secret's `data` have it. */
export function readPemBase64(objects: ObjectIndex, base64: string): PemContent {
  return readPem(objects, Buffer.from(base64, 'base64').toString('latin1'));
}

function pemCache(): Map<string, PemContent> {
  return new Map();
}

function contentOf(text: string): PemContent {
  const certificates: X509Certificate[] = [];
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  for (const [one] of text.matchAll(block)) {
    try {
      certificates.push(new X509Certificate(one));
    } catch {
      // Counted below: it is there, and unreadable.
    }
  }
  return {
    certificates,
    unreadable: begun - certificates.length,
    hasKey: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/.test(text),
  };
}

/**
 * The one among the anchors that verifies a certificate, as API servers look for it: the certificate itself, whoever signed
 * it, else the authority that signed it, by name and by signature.
 *
 * @see https://github.com/golang/go/blob/go1.26.0/src/crypto/x509/verify.go (Verify: opts.Roots.contains)
 */
export function signerOf(
  certificate: X509Certificate,
  anchors: readonly X509Certificate[],
): X509Certificate | undefined {
  return (
    anchors.find((anchor) => anchor.raw.equals(certificate.raw)) ??
    anchors.find((anchor) => mayIssue(anchor) && isSignedBy(certificate, anchor))
  );
}

/** Whether a private key, in PEM, is that of a certificate. */
export function keyBelongs(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    // Encrypted, or of a kind that OpenSSL can't use: not checked.
    return true;
  }
}

const [serverAuthentication, anyUsage] = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/** Whether a server may use a certificate. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.12 */
export function isForServers({ keyUsage }: X509Certificate): boolean {
  // None at all is undefined, whatever the type says.
  const usages = keyUsage as readonly string[] | undefined;
  return !usages?.length || usages.some((each) => each === serverAuthentication || each === anyUsage);
}
