import * as http from 'node:http';
import * as https from 'node:https';
import { forwarded, proxyAgent } from '../proxy/agent';
import { environmentProxy } from '../proxy/environment';
import { ProxyFailure, byProxy } from '../proxy/proxy';
import { textOf } from './credentials';
import type { ClusterAccess } from './kubeconfig';

/** One request, and how long an answer may take. */
interface TransportRequest {
  readonly method: string;
  /** Path and query, from the root of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** PEM of the client certificate, with its key. */
  readonly certificate?: string;
  readonly key?: string;
  /** Of the whole exchange, in milliseconds. */
  readonly timeout: number;
  /** Of the answer, in bytes. */
  readonly longest: number;
  readonly signal?: AbortSignal;
}

/** An answer, whatever its status. */
export interface TransportAnswer {
  readonly status: number;
  readonly body: string;
  /** Seconds that the server asks to wait before the next try. */
  readonly retryAfter?: number;
}

/** The way to one API server. */
export interface Transport {
  /** @throws TransportFailure where no whole answer came; the signal's reason where that is aborted */
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): void;
}

/** There was no answer, or none that can be read. */
export class TransportFailure extends Error {
  public readonly beyond: boolean;

  public constructor(
    message: string,
    /** Whether the server may have read the request. */
    public readonly sent: boolean,
    /** Whether another try may go better. */
    public readonly passing: boolean,
    options?: {
      readonly cause?: unknown;
      /** Whether there was an answer, which is longer than any that can be read. */
      readonly beyond?: boolean;
    },
  ) {
    super(message, options);
    this.name = 'TransportFailure';
    this.beyond = options?.beyond ?? false;
  }
}

/** Servers and load balancers close idle connections after a minute or more; this side does so first. */
const idle = { keepAlive: true, timeout: 30_000, maxSockets: 20 };

/** The way to a server, with all that is the same for every request. */
interface Way {
  readonly access: ClusterAccess;
  readonly agent: http.Agent;
  /** URL. @default - none */
  readonly proxy?: string;
}

/** Opens the way to an API server; connections are kept and used again. */
export function httpsTransport(access: ClusterAccess, env: NodeJS.ProcessEnv = process.env): Transport {
  const proxy = access.proxyUrl ?? environmentProxy(access.server, env);
  const agent = agentFor(access, proxy);
  const way = { access, agent, ...(proxy === undefined ? {} : { proxy }) };
  return {
    send: async (request) => {
      const ca = await textOf(access.certificateAuthority);
      return exchange(way, ca, request);
    },
    close: () => agent.destroy(),
  };
}

function agentFor({ server }: ClusterAccess, proxy: string | undefined): http.Agent {
  const { protocol } = new URL(server);
  if (proxy !== undefined) {
    return proxyAgent(proxy, protocol, idle);
  }
  return protocol === 'http:' ? new http.Agent(idle) : new https.Agent(idle);
}

function exchange(way: Way, ca: string | undefined, call: TransportRequest): Promise<TransportAnswer> {
  const failed = (error: Error, request: http.ClientRequest): TransportFailure =>
    failure(way.proxy === undefined ? error : byProxy(error, way.proxy), request);
  return new Promise((resolve, reject) => {
    const request = begun(way, ca, call);
    // A time-out of the socket alone covers neither name resolution nor an answer that trickles in.
    const timer = setTimeout(() => {
      const error = new Error(`no answer within ${call.timeout / 1000} s`);
      request.destroy(error);
      // A request that still waits for its proxy does not tell that it was destroyed.
      reject(failed(error, request));
      end();
    }, call.timeout);
    const abort = (): void => {
      request.destroy();
      reject(call.signal!.reason as Error);
      end();
    };
    const end = (): void => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', abort);
    };
    call.signal?.addEventListener('abort', abort);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > call.longest) {
          parts.length = 0;
          reject(tooLong(call.longest));
          request.destroy();
        } else {
          parts.push(part);
        }
      });
      response.on('end', () => resolve(answer(response, Buffer.concat(parts).toString('utf8'))));
      response.on('error', (error) => reject(failed(error, request)));
    });
    request.on('error', (error) => reject(failed(error, request)));
    request.on('close', () => {
      end();
      // A server that changes the protocol (101) has its connection closed without a word.
      reject(failed(new Error('the server ended the connection'), request));
    });
    request.end(call.body);
    if (call.signal?.aborted) {
      abort();
    }
  });
}

/** @throws TransportFailure for what can't be sent: a token with a line break, a certificate that is none */
function begun(
  { access, agent, proxy }: Way,
  ca: string | undefined,
  call: TransportRequest,
): http.ClientRequest {
  try {
    const url = new URL(`${access.server}${call.path}`);
    const { headers, ...whole } = proxy === undefined ? { headers: {} } : forwarded(proxy, url);
    return (url.protocol === 'https:' ? https : http).request(url, {
      ...whole,
      agent,
      method: call.method,
      headers: { ...outgoing(call), ...headers },
      ca,
      cert: call.certificate,
      key: call.key,
      servername: access.serverName,
      rejectUnauthorized: !access.insecure,
    });
  } catch (error) {
    const { message } = error as Error;
    throw new TransportFailure(`the request can not be made: ${message}`, false, false, { cause: error });
  }
}

function tooLong(longest: number): TransportFailure {
  return new TransportFailure(`the answer is longer than ${longest} bytes`, true, false, { beyond: true });
}

function outgoing(call: TransportRequest): http.OutgoingHttpHeaders {
  const headers = Object.entries(call.headers).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? value : [...value],
  ]);
  return {
    ...Object.fromEntries(headers),
    // Node.js does not frame the body of a DELETE by itself.
    ...(call.body === undefined ? {} : { 'content-length': Buffer.byteLength(call.body) }),
  };
}

function answer(response: http.IncomingMessage, body: string): TransportAnswer {
  const seconds = Number(response.headers['retry-after']);
  return {
    status: response.statusCode ?? 0,
    body,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds } : {}),
  };
}

/** Errors of connecting: the server has seen nothing of the request. */
const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function failure(error: NodeJS.ErrnoException, request: http.ClientRequest): TransportFailure {
  if (error instanceof ProxyFailure) {
    return new TransportFailure(error.message, false, error.isPassing, { cause: error });
  }
  const code = error.code ?? '';
  // OpenSSL's and Node.js's words for a certificate or key that will be no better next time.
  const final = /CERT|SIGNATURE|ISSUER|^ERR_TLS|^ERR_OSSL|^EPROTO/.test(code);
  const sent = !final && !unsent.includes(code) && (request.socket === null || !request.socket.connecting);
  return new TransportFailure(error.message || code, sent, !final, { cause: error });
}
