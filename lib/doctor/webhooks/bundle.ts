import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../certificates';
import type { TrustAnchor } from '../../rules';
import { bundleText } from '../../rules';

/** What an API server is told to trust when it calls a server. */
export type Bundle =
  | { readonly is: 'held'; readonly anchors: readonly X509Certificate[] }
  /** Nothing is said: the API server takes the authorities of its own system. */
  | { readonly is: 'absent' }
  /** There is text, and no certificate in it. */
  | { readonly is: 'unreadable' }
  /** An APIService that is not verified at all. */
  | { readonly is: 'unneeded' };

/** The CA bundle of a place. */
export function bundleOf(anchor: TrustAnchor): Bundle {
  if (anchor.by === 'apiService' && anchor.field.get('insecureSkipTLSVerify').boolean === true) {
    return { is: 'unneeded' };
  }
  const text = bundleText(anchor);
  if (text === undefined) {
    return { is: 'absent' };
  }
  const anchors = readCertificates(Buffer.from(text, 'base64').toString('latin1'));
  return anchors.length > 0 ? { is: 'held', anchors } : { is: 'unreadable' };
}
