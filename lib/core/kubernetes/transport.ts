import * as http from 'node:http';
import * as https from 'node:https';
import { NoWholeAnswer, exchange } from '../http';
import { forwarded, proxyAgent } from '../proxy/agent';
import { environmentProxy } from '../proxy/environment';
import { ProxyFailure, byProxy } from '../proxy/proxy';
import { textOf } from './credentials';
import type { KubeconfigConnection } from './kubeconfig';

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
  readonly access: KubeconfigConnection;
  readonly agent: http.Agent;
  /** URL. @default - none */
  readonly proxy?: string;
}

/** Opens the way to an API server; connections are kept and used again. */
export function httpsTransport(
  access: KubeconfigConnection,
  env: NodeJS.ProcessEnv = process.env,
): Transport {
  const proxy = access.proxyUrl ?? environmentProxy(access.server, env);
  const agent = agentFor(access, proxy);
  const way = { access, agent, ...(proxy === undefined ? {} : { proxy }) };
  return {
    send: async (request) => {
      const ca = await textOf(access.certificateAuthority);
      return ask(way, ca, request);
    },
    close: () => agent.destroy(),
  };
}

function agentFor({ server }: KubeconfigConnection, proxy: string | undefined): http.Agent {
  const { protocol } = new URL(server);
  if (proxy !== undefined) {
    return proxyAgent(proxy, protocol, idle);
  }
  return protocol === 'http:' ? new http.Agent(idle) : new https.Agent(idle);
}

async function ask(
  { access, agent, proxy }: Way,
  ca: string | undefined,
  call: TransportRequest,
): Promise<TransportAnswer> {
  const url = new URL(`${access.server}${call.path}`);
  const { headers, ...whole } = proxy === undefined ? { headers: {} } : forwarded(proxy, url);
  const answer = await exchange(
    url,
    {
      ...whole,
      agent,
      method: call.method,
      headers: { ...outgoing(call), ...headers },
      ca,
      cert: call.certificate,
      key: call.key,
      servername: access.serverName,
      rejectUnauthorized: !access.insecure,
      body: call.body,
    },
    { timeoutMs: call.timeout, longestAnswer: call.longest, signal: call.signal },
    (error, request) => failure(error, request, proxy),
  );
  const seconds = Number(answer.headers['retry-after']);
  return {
    status: answer.status,
    body: answer.text,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds } : {}),
  };
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

/** Errors of connecting: the server has seen nothing of the request. */
const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** @param request is missing for what can't be sent: a token with a line break, a certificate that is none */
function failure(
  given: NodeJS.ErrnoException,
  request: http.ClientRequest | undefined,
  proxy: string | undefined,
): TransportFailure {
  if (request === undefined) {
    const message = `the request can not be made: ${given.message}`;
    return new TransportFailure(message, false, false, { cause: given });
  }
  if (given instanceof NoWholeAnswer && given.why === 'long') {
    return new TransportFailure(given.message, true, false, { beyond: true });
  }
  const error = proxy === undefined ? given : byProxy(given, proxy);
  if (error instanceof ProxyFailure) {
    return new TransportFailure(error.message, false, error.isPassing, { cause: error });
  }
  const code = error.code ?? '';
  // OpenSSL's and Node.js's words for a certificate or key that will be no better next time.
  const final = /CERT|SIGNATURE|ISSUER|^ERR_TLS|^ERR_OSSL|^EPROTO/.test(code);
  const sent = !final && !unsent.includes(code) && (request.socket === null || !request.socket.connecting);
  return new TransportFailure(error.message || code, sent, !final, { cause: error });
}
