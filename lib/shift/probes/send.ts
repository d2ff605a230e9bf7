import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { ExchangeLimits, HttpAnswer } from '../../core/http';
import { NoWholeAnswer, exchange } from '../../core/http';
import { oneLine } from '../../core/printable-text';
import { forwarded, proxyAgent } from '../../core/proxy/agent';
import { environmentProxy } from '../../core/proxy/environment';
import { ProxyFailure, shownProxy } from '../../core/proxy/proxy';
import type { Probe, SendProbe } from './probe';

/**
 * Sends probes by Node.js's own HTTP. A redirect is an answer like any other: whoever asks decides whether to follow it.
 *
 * Each one has a connection of its own, with a TLS handshake in full: on a connection that is kept, a target that closes it
 * or a balancer that stays with a target would hide what a visitor meets who comes anew.
 *
 * @param env where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read
 */
export function probeSender(env: Readonly<Record<string, string | undefined>> = process.env): SendProbe {
  return async ({ url, timeoutMs, longestAnswer, certificateAuthority, ...sent }, signal) => {
    signal?.throwIfAborted();
    const begun = performance.now();
    const limits: ExchangeLimits = { timeoutMs, longestAnswer, signal };
    const request = { ...sent, headers: { ...sent.headers }, ca: certificateAuthority };
    const proxy = environmentProxy(url, env);
    try {
      const answer = await (proxy === undefined
        ? exchange(url, { ...request, agent: false }, limits)
        : exchangeBy(proxy, url, request, limits));
      return { ...answer, milliseconds: performance.now() - begun };
    } catch (error) {
      signal?.throwIfAborted();
      const failure = failureOf(error as Error, proxy);
      const milliseconds = performance.now() - begun;
      return { failure, ...(isOurs(error as Error) && { ours: true }), milliseconds };
    }
  };
}

/** Sends a probe, by the proxy that this machine's environment names for the URL. */
export const sendProbe: SendProbe = (probe, signal) => probeSender()(probe, signal);

type Sent = Pick<Probe, 'method' | 'headers' | 'body'> & Pick<RequestOptions, 'ca'>;

async function exchangeBy(
  proxy: string,
  url: URL,
  request: Sent,
  limits: ExchangeLimits,
): Promise<HttpAnswer> {
  let agent: Agent | undefined;
  try {
    // What is set up to reach the server has no longer than the whole.
    agent = proxyAgent(proxy, url.protocol, { connectTimeoutMs: limits.timeoutMs });
    const { headers: ofProxy, ...way } = forwarded(proxy, url);
    return await exchange(
      url,
      { ...request, ...way, agent, headers: { ...request.headers, ...ofProxy } },
      limits,
    );
  } finally {
    agent?.destroy();
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'no connection within the time of this system',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  EADDRNOTAVAIL: 'this machine has no address or port left for the connection',
  EMFILE: 'this process has too many files and connections open',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate is revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed, and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's authority is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate's authority is not trusted, or its chain is not whole",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's authority is not trusted, or its chain is not whole",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's authority is not trusted, or its chain is not whole",
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not for this host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it answers, but not with TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it answers, but not with TLS',
  HPE_HEADER_OVERFLOW: "the answer's headers are too long",
  ERR_INVALID_CHAR: 'a header can not be sent: its value has a character that HTTP does not allow',
  ERR_INVALID_HTTP_TOKEN: 'a header or the method can not be sent: it is no word of HTTP',
};

/** Why there is no whole answer. The message of Node.js's own error is not shown: it may repeat what was sent. */
function failureOf(error: Error, proxy: string | undefined): string {
  if (error instanceof ProxyFailure) {
    return oneLine(error.message).slice(0, longestFailure);
  }
  const way = proxy === undefined ? '' : ` (by the proxy ${shownProxy(proxy)})`;
  return oneLine(`${error instanceof NoWholeAnswer ? error.message : wordsOf(codeOf(error))}${way}`);
}

/** What never left this machine, or its proxy. */
const ours = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENETUNREACH',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
];

function isOurs(error: Error): boolean {
  return error instanceof ProxyFailure || ours.includes(codeOf(error));
}

/** In characters. */
const longestFailure = 300;

/** A name with several addresses fails with an error that holds those of each. */
function codeOf(error: Error & { readonly code?: unknown; readonly errors?: unknown }): string {
  const [first] = Array.isArray(error.errors) ? (error.errors as readonly { readonly code?: unknown }[]) : [];
  const code = error.code ?? first?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,60}$/.test(code) ? code : '';
}

function wordsOf(code: string): string {
  const known = words[code];
  if (known !== undefined) {
    return isOfTls(code) ? `${known} (${code})` : known;
  }
  if (code.startsWith('HPE_')) {
    return `the answer is no HTTP (${code})`;
  }
  if (isOfTls(code)) {
    return `the server and this machine do not agree on TLS (${code})`;
  }
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}

function isOfTls(code: string): boolean {
  return /CERT|SIGNATURE|^ERR_(?:SSL|TLS|OSSL)|^EPROTO$/.test(code);
}
