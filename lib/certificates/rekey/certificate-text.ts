import { X509Certificate } from 'node:crypto';

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
export function bundleText(certificates: readonly X509Certificate[]): string {
  return certificates.map((each) => each.toString().trimEnd() + '\n').join('');
}
