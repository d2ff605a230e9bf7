import * as http from 'node:http';
import * as https from 'node:https';
import { forwarded, proxyAgent } from './proxy/agent';
import { environmentProxy } from './proxy/environment';
import { byProxy } from './proxy/proxy';
import { refuseOptions } from './validation/option-keys';
import type { OptionsOf } from './validation/option-keys';

/** What is asked. */
export interface HttpRequest {
  /** Method of the request. */
  readonly method: 'GET' | 'POST';
  /** Address, with the query. */
  readonly url: URL;
  /** Headers; they may hold credentials, so they are shown nowhere. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text that is sent. @default - nothing */
  readonly body?: string;
  /** Certificates of authorities to trust, in PEM. @default - those that Node.js trusts */
  readonly certificateAuthority?: string;
}

/** What is answered. */
export interface HttpAnswer {
  /** Status code. */
  readonly status: number;
  /** Headers, with names in small letters. */
  readonly headers: http.IncomingHttpHeaders;
  /** The whole body. */
  readonly text: string;
}

/** HTTP, one exchange at a time. */
export interface HttpClient {
  /**
   * Sends a request. A redirect is an answer like any other: a key must not go to another host.
   *
   * @throws Error for no answer, one that takes too long, or one that is too large
   */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer>;
}

/** What `httpClient` takes. */
export interface HttpClientOptions {
  /** For the whole exchange, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** The longest answer, in bytes. @default 8388608 - eight megabytes: a day of minutes of many series */
  readonly longestAnswer?: number;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const httpClientOptionsKeys: OptionsOf<HttpClientOptions> = {
  timeoutMs: 'plain',
  longestAnswer: 'plain',
  env: 'plain',
};

/** HTTP by Node.js itself: unlike `fetch` it can trust a certificate authority of one's own. */
export function httpClient(options: HttpClientOptions = {}): HttpClient {
  refuseOptions('httpClient', options, httpClientOptionsKeys);
  const { env = process.env } = options;
  return {
    send: async (request, signal) => {
      const proxy = environmentProxy(request.url, env);
      if (proxy === undefined) {
        return exchange(request, {}, options, signal);
      }
      const agent = proxyAgent(proxy, request.url.protocol);
      try {
        return await exchange(request, { agent, ...forwarded(proxy, request.url) }, options, signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw byProxy(error as Error, proxy);
      } finally {
        agent.destroy();
      }
    },
  };
}

/** What a request by a proxy needs beside what it is. */
interface Way {
  readonly agent?: http.Agent;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function exchange(
  { method, url, headers, body, certificateAuthority }: HttpRequest,
  { headers: ofProxy, ...way }: Way,
  { timeoutMs = 10_000, longestAnswer = 8_388_608 }: HttpClientOptions,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const fail = (error: unknown): void => {
      reject(
        timeout.aborted && !signal?.aborted
          ? new Error(`no answer within ${timeoutMs} ms`)
          : (error as Error),
      );
    };
    const given = { ...way, method, headers: { ...headers, ...ofProxy }, ca: certificateAuthority };
    const sent = (url.protocol === 'https:' ? https : http).request(url, { ...given, signal: either });
    // A request that still waits for its proxy does not tell that it was ended.
    either.addEventListener('abort', () => fail(either.reason));
    sent.on('response', (answer) => {
      const parts: Buffer[] = [];
      let length = 0;
      answer.on('error', fail);
      answer.on('data', (part: Buffer) => {
        length += part.length;
        if (length > longestAnswer) {
          parts.length = 0;
          reject(new Error(`an answer longer than ${longestAnswer} bytes`));
          sent.destroy();
        } else {
          parts.push(part);
        }
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    sent.on('error', fail);
    // A server that changes the protocol (101) has its connection closed without a word.
    sent.on('close', () => fail(new Error('the server ended the connection')));
    sent.end(body);
  });
}
