import type * as http from 'node:http';
import { sleep } from '../../../core/async';
import { NoWholeAnswer, exchange } from '../../../core/http';
import { forwarded, proxyAgent } from '../../../core/proxy/agent';
import { environmentProxy } from '../../../core/proxy/environment';
import { ProxyFailure, shownProxy } from '../../../core/proxy/proxy';
import { redacted } from '../../../core/redaction';
import type { AppCredential } from './credentials';

/** One request to GitHub's API. */
export interface GitHubRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** `Bearer …`: a secret. */
  readonly authorization: string;
  readonly route: GitHubRoute;
}

/** The way to a server. */
export interface GitHubRoute {
  /** URL; it may hold a password. @default - none */
  readonly proxy?: string;
  /** PEM of the only authorities that are trusted. @default - those of Node.js */
  readonly certificateAuthority?: string;
  readonly insecure: boolean;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** An answer, whatever its status. */
export interface GitHubAnswer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** When it was asked and answered, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Asks GitHub. */
export interface GitHubHttp {
  /**
   * Sends one request; a redirect is an answer like any other.
   *
   * @throws GitHubUnreachable where there is no answer of GitHub; the signal's reason where that is aborted
   */
  send(request: GitHubRequest, signal: AbortSignal): Promise<GitHubAnswer>;
}

/** What is between here and GitHub. */
export type NetworkFault =
  /** The proxy does not answer, or does not let the request through. */
  | 'proxy'
  /** The server's certificate is not accepted. */
  | 'certificate'
  /** The two sides agree on no TLS: often something else listens there. */
  | 'tls'
  | 'name'
  | 'refused'
  | 'slow'
  | 'cut';

/** There was no answer of GitHub. Its message holds no secret. */
export class GitHubUnreachable extends Error {
  public constructor(
    public readonly obstacle: NetworkFault,
    message: string,
  ) {
    super(message);
    this.name = 'GitHubUnreachable';
  }
}

/** How often and how patiently GitHub is asked. */
export interface RetryPolicy {
  /** Tries, the first one included. @default 3 */
  readonly attempts: number;
  /** Before the second try, in milliseconds; it doubles with each further one. Half of it is left to chance. @default 500 */
  readonly pauseMs: number;
}

const passing: readonly NetworkFault[] = ['slow', 'cut', 'name', 'refused'];

/**
 * Asks again where that may help: after a fault of the server, or none of its answers. A limit of calls is an answer: more
 * calls would make it worse.
 */
export function patiently(
  asked: GitHubHttp,
  { attempts, pauseMs }: RetryPolicy = { attempts: 3, pauseMs: 500 },
  chance: () => number = Math.random,
): GitHubHttp {
  return {
    send: async (request, signal) => {
      for (let tries = 1; ; tries += 1) {
        const outcome = await asked.send(request, signal).catch((error: unknown) => {
          if (error instanceof GitHubUnreachable) {
            return error;
          }
          throw error;
        });
        if (tries >= attempts || !isPassing(outcome)) {
          if (outcome instanceof GitHubUnreachable) {
            throw outcome;
          }
          return outcome;
        }
        const longest = pauseMs * 2 ** (tries - 1);
        await sleep(longest * (0.5 + chance() / 2), signal);
      }
    },
  };
}

function isPassing(outcome: GitHubAnswer | GitHubUnreachable): boolean {
  return outcome instanceof GitHubUnreachable
    ? passing.includes(outcome.obstacle)
    : outcome.status >= 500 && outcome.status !== 501;
}

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
    return new GitHubUnreachable('proxy', redacted(error.message));
  }
  const code = error.code ?? '';
  if (error instanceof NoWholeAnswer && error.why === 'slow') {
    const way = proxy === undefined ? '' : ` by the proxy ${shownProxy(proxy)}`;
    return new GitHubUnreachable('slow', `${error.message}${way}`);
  }
  const way = proxy === undefined ? '' : ` (by the proxy ${shownProxy(proxy)})`;
  const detail = `${redacted(error.message)}${code && !error.message.includes(code) ? ` (${code})` : ''}${way}`;
  return new GitHubUnreachable(kindOf(code), detail);
}

function kindOf(code: string): NetworkFault {
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

/** An answer of the API is some kilobytes; whatever is longer comes from something else. */
const longestAnswer = 4 * 1024 * 1024;

/**
 * Asks GitHub by Node.js's own HTTP: each request on a connection of its own, as Argo CD does.
 *
 * @param timeoutMs of a whole exchange. Default: 10 s
 */
export function nodeHttp(timeoutMs = 10_000): GitHubHttp {
  return {
    send: async ({ method, url, authorization, route }, signal) => {
      signal.throwIfAborted();
      const { proxy } = route;
      let agent: http.Agent | undefined;
      try {
        const target = new URL(url);
        agent = proxy === undefined ? undefined : proxyAgent(proxy, target.protocol);
        const { headers, ...way } = proxy === undefined ? { headers: {} } : forwarded(proxy, target);
        const sentAt = Date.now();
        const answer = await exchange(
          target,
          {
            ...way,
            method,
            headers: {
              ...headers,
              authorization,
              accept: 'application/vnd.github+json',
              'user-agent': 'cluster-canary',
              connection: 'close',
              ...(method === 'GET' ? {} : { 'content-length': '0' }),
            },
            ca: route.certificateAuthority,
            cert: route.clientCertificate,
            key: route.clientKey,
            rejectUnauthorized: !route.insecure,
            ...(agent ? { agent } : {}),
          },
          { timeoutMs, longestAnswer, signal },
        );
        return {
          status: answer.status,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: answer.text,
          sentAt,
          answeredAt: Date.now(),
        };
      } catch (error) {
        signal.throwIfAborted();
        throw obstacleOf(error as NodeJS.ErrnoException, proxy);
      } finally {
        agent?.destroy();
      }
    },
  };
}

/**
 * Certificates that Argo CD knows servers by: the data of the ConfigMap `argocd-tls-certs-cm`, PEM by host name.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/private-repositories/#self-signed-untrusted-tls-certificates
 */
export type ServerCertificates = Readonly<Record<string, string>>;

/**
 * The way to the API as Argo CD goes it: by the Secret's proxy, else by the environment's, with the certificates that it has
 * for the host, and no others where it has some. The environment is that of this machine, not that of the repo-server.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/git/client.go GetRepoHTTPClient
 */
export function proxyRoute(
  credential: AppCredential,
  certificates: ServerCertificates,
  env: NodeJS.ProcessEnv,
): GitHubRoute {
  const { api, insecure, clientCertificate, clientKey } = credential;
  const proxy = environmentProxy(api, proxyVariables(credential, env));
  const certificateAuthority = certificates[new URL(api).hostname];
  return {
    insecure,
    ...(proxy === undefined ? {} : { proxy }),
    ...(certificateAuthority ? { certificateAuthority } : {}),
    ...(clientCertificate && clientKey ? { clientCertificate, clientKey } : {}),
  };
}

function proxyVariables({ proxy, noProxy }: AppCredential, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return proxy === undefined ? env : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy ?? '' };
}
