import { X509Certificate } from 'node:crypto';
import { signed } from '../../certificates';
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

/** The one among the anchors that signed a certificate: by name and by signature, as API servers look for it. */
export function signerOf(
  certificate: X509Certificate,
  anchors: readonly X509Certificate[],
): X509Certificate | undefined {
  return anchors.find((anchor) => signed(certificate, anchor));
}
