import * as http from 'node:http';
import * as https from 'node:https';
import { forwarded, proxyAgent } from './proxy/agent';
import { proxyEnvironment, environmentProxy } from './proxy/environment';
import { byProxy } from './proxy/proxy';
import { refuseArguments } from './validation/arguments';
import { object, optional } from './validation/collections';
import { number } from './validation/values';

/** What is asked. */
export interface HttpRequest {
  /** Method of the request. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
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

const httpClientOptions = object<HttpClientOptions>({
  timeoutMs: optional(number('a number of milliseconds above 0', { above: 0 })),
  longestAnswer: optional(number('a number of bytes above 0', { above: 0 })),
  env: optional(proxyEnvironment),
});

/** HTTP by Node.js itself: unlike `fetch` it can trust a certificate authority of one's own. */
export function httpClient(options: HttpClientOptions = {}): HttpClient {
  refuseArguments('httpClient', httpClientOptions, options);
  const { env = process.env, timeoutMs = 10_000, longestAnswer = 8_388_608 } = options;
  return {
    send: async ({ url, headers, certificateAuthority: ca, ...request }, signal) => {
      const limits = { timeoutMs, longestAnswer, signal };
      const proxy = environmentProxy(url, env);
      if (proxy === undefined) {
        return exchange(url, { ...request, headers: { ...headers }, ca }, limits);
      }
      const agent = proxyAgent(proxy, url.protocol);
      const { headers: ofProxy, ...way } = forwarded(proxy, url);
      try {
        const options = { ...request, ...way, agent, headers: { ...headers, ...ofProxy }, ca };
        return await exchange(url, options, limits);
      } catch (error) {
        signal?.throwIfAborted();
        throw byProxy(error as Error, proxy);
      } finally {
        agent.destroy();
      }
    },
  };
}

/** How long an answer is waited for, and how much of it is taken. */
export interface ExchangeLimits {
  /** For the whole exchange, in milliseconds: a time-out of the socket covers neither names nor an answer that trickles in. */
  readonly timeoutMs: number;
  /** The longest answer, in bytes. */
  readonly longestAnswer: number;
  /** Ends the exchange. @default - nothing does */
  readonly signal?: AbortSignal | undefined;
}

/** No whole answer was taken, though no call of the system has failed. */
export class NoWholeAnswer extends Error {
  public constructor(
    /** It took too long, was too long, or ended too early. */
    public readonly why: 'slow' | 'long' | 'cut',
    message: string,
  ) {
    super(message);
    this.name = 'NoWholeAnswer';
  }
}

/**
 * Sends one request and takes its whole answer, whatever the status. A redirect is an answer like any other.
 *
 * @param failureOf what an error is to the caller; `request` is missing where none can be made of the options
 * @throws what `failureOf` makes of an error of the system or of a `NoWholeAnswer`; the signal's reason where that is aborted
 */
export function exchange(
  url: URL,
  { body, ...options }: https.RequestOptions & { readonly body?: string | undefined },
  { timeoutMs, longestAnswer, signal }: ExchangeLimits,
  failureOf: (error: Error, request?: http.ClientRequest) => Error = (error) => error,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let request: http.ClientRequest | undefined;
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: Error): void => {
      reject(failureOf(error, request));
      end();
    };
    // A request that still waits for its proxy does not tell that it was destroyed.
    const stop = (why: NoWholeAnswer['why'], message: string): void => {
      request?.destroy();
      fail(new NoWholeAnswer(why, message));
    };
    const abort = (): void => {
      request?.destroy();
      reject(signal!.reason as Error);
      end();
    };
    if (signal?.aborted) {
      abort();
      return;
    }
    try {
      request = (url.protocol === 'https:' ? https : http).request(url, options);
    } catch (error) {
      fail(error as Error);
      return;
    }
    timer = setTimeout(() => stop('slow', `no answer within ${timeoutMs / 1000} s`), timeoutMs);
    signal?.addEventListener('abort', abort);
    request.on('response', (answer) => {
      const parts: Buffer[] = [];
      let length = 0;
      answer.on('error', fail);
      answer.on('data', (part: Buffer) => {
        length += part.length;
        if (length > longestAnswer) {
          parts.length = 0;
          stop('long', `the answer is longer than ${longestAnswer} bytes`);
        } else {
          parts.push(part);
        }
      });
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, text: Buffer.concat(parts).toString('utf8') });
        end();
      });
    });
    request.on('error', fail);
    // A server that changes the protocol (101) has its connection closed without a word.
    request.on('close', () => fail(new NoWholeAnswer('cut', 'the server ended the connection')));
    request.end(body);
  });
}
