import type { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readCertificates } from '../../certificates';

/** Public authorities, as Node.js has them, in the place of those that another machine trusts by itself. */
export function publicAuthorities(): readonly X509Certificate[] {
  return (known ??= readCertificates(rootCertificates.join('\n')));
}

let known: readonly X509Certificate[] | undefined;
