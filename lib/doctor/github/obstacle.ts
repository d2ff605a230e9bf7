import type { Obstacle } from './github-http';
import { GitHubUnreachable } from './github-http';
import { ProxyFailure, shownProxy } from '../../proxies';
import { shown } from '../redaction';

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
  if (error instanceof ProxyFailure) {
    return new GitHubUnreachable('proxy', shown(error.message));
  }
  const code = error.code ?? '';
  const way = proxy === undefined ? '' : ` (by the proxy ${shownProxy(proxy)})`;
  const detail = `${shown(error.message)}${code && !error.message.includes(code) ? ` (${code})` : ''}${way}`;
  return new GitHubUnreachable(kindOf(code), detail);
}

function kindOf(code: string): Obstacle {
  if (certificateCodes.includes(code)) {
    return 'certificate';
  }
  if (/^ERR_(SSL|TLS|OSSL)|^EPROTO/.test(code)) {
    return 'tls';
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'name';
  }
  return /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code) ? 'refused' : 'cut';
}
