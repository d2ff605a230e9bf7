import * as http from 'node:http';
import * as https from 'node:https';
import { forwarded, proxyAgent, shownProxy } from '../../proxies';
import { unlessAborted } from '../unless-aborted';
import type { GitHubAnswer, GitHubHttp, GitHubRequest } from './github-http';
import { GitHubUnreachable } from './github-http';
import { obstacleOf } from './obstacle';

/** An answer of the API is some kilobytes; whatever is longer comes from something else. */
const longestAnswer = 4 * 1024 * 1024;

/**
 * Asks GitHub by Node.js's own HTTP: each request on a connection of its own, as Argo CD does.
 *
 * @param timeoutMs of a whole exchange. Default: 10 s
 */
export function nodeHttp(timeoutMs = 10_000): GitHubHttp {
  return {
    send: async (request, signal) => {
      signal.throwIfAborted();
      const timeout = AbortSignal.timeout(timeoutMs);
      const { proxy } = request.route;
      let agent: http.Agent | undefined;
      try {
        const either = AbortSignal.any([signal, timeout]);
        agent = proxy === undefined ? undefined : proxyAgent(proxy, new URL(request.url).protocol);
        // A request that still waits for its proxy hears no signal.
        return await unlessAborted(() => exchange(request, agent, either), either);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof GitHubUnreachable) {
          throw error;
        }
        if (timeout.aborted) {
          const way = proxy === undefined ? '' : ` by the proxy ${shownProxy(proxy)}`;
          throw new GitHubUnreachable('slow', `no answer within ${timeoutMs / 1000} s${way}`);
        }
        throw obstacleOf(error as NodeJS.ErrnoException, proxy);
      } finally {
        agent?.destroy();
      }
    },
  };
}

function exchange(
  { method, url, authorization, route }: GitHubRequest,
  agent: http.Agent | undefined,
  signal: AbortSignal,
): Promise<GitHubAnswer> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const sentAt = Date.now();
    const { headers, ...whole } =
      route.proxy === undefined ? { headers: {} } : forwarded(route.proxy, target);
    const request = (target.protocol === 'https:' ? https : http).request(target, {
      ...whole,
      method,
      signal,
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
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > longestAnswer) {
          parts.length = 0;
          reject(new GitHubUnreachable('cut', `an answer longer than ${longestAnswer} bytes`));
          request.destroy();
        } else {
          parts.push(part);
        }
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: Buffer.concat(parts).toString('utf8'),
          sentAt,
          answeredAt: Date.now(),
        }),
      );
    });
    // A server that changes the protocol (101) has its connection closed without a word.
    request.on('close', () => reject(new GitHubUnreachable('cut', 'the server ended the connection')));
    request.end();
  });
}
