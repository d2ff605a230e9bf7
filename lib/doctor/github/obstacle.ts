import type { Obstacle } from './github-http';
import { GitHubUnreachable } from './github-http';
import { shown, shownUrl } from '../redaction';

/** OpenSSL's words for a certificate that is not accepted, as Node.js names them. */
const certificateCodes = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

/**
 * What an error of Node.js says of the way to GitHub.
 *
 * @param proxy URL of the proxy that was used
 */
export function obstacleOf(error: NodeJS.ErrnoException, proxy: string | undefined): GitHubUnreachable {
  const code = error.code ?? '';
  const way = proxy === undefined ? '' : ` (by the proxy ${shownUrl(proxy)})`;
  const detail = `${shown(error.message)}${code && !error.message.includes(code) ? ` (${code})` : ''}${way}`;
  return new GitHubUnreachable(kindOf(code, error.message, proxy), detail);
}

function kindOf(code: string, message: string, proxy: string | undefined): Obstacle {
  if (certificateCodes.includes(code)) {
    return 'certificate';
  }
  if (/^ERR_(SSL|TLS|OSSL)|^EPROTO/.test(code)) {
    return 'tls';
  }
  // Behind a proxy it is the proxy's name that is looked up, and the proxy that is connected to.
  if (
    proxy !== undefined &&
    (/^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ERR_INVALID_URL)$/.test(code) ||
      /proxy/i.test(message))
  ) {
    return 'proxy';
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'name';
  }
  return /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code) ? 'refused' : 'cut';
}
