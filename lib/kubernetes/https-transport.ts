import { setMaxListeners } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { ClusterAccess } from './cluster-access';
import { textOf } from './material';
import { environmentProxy } from './proxy';
import { proxyAgent } from './proxy-agent';
import type { Transport, TransportAnswer, TransportRequest } from './transport';
import { TransportFailure } from './transport';

/** Servers and load balancers close idle connections after a minute or more; this side does so first. */
const idle = { keepAlive: true, timeout: 30_000, maxSockets: 20 };

/** What a silent SOCKS proxy holds open ends after this time, in milliseconds. */
const socksTimeout = 10_000;

/** Opens the way to an API server; connections are kept and used again. */
export async function httpsTransport(
  access: ClusterAccess,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Transport> {
  const closing = new AbortController();
  // One listener for each connection to a proxy that is still being made.
  setMaxListeners(0, closing.signal);
  const agent = await agentFor(access, env, closing.signal);
  return {
    send: async (request) => {
      const ca = await textOf(access.certificateAuthority);
      return exchange(agent, access, ca, request);
    },
    close: () => {
      agent.destroy();
      closing.abort();
    },
  };
}

/** The signal ends connections to a proxy that the agent does not know of yet. */
async function agentFor(
  access: ClusterAccess,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<http.Agent> {
  const proxy = access.proxyUrl ?? environmentProxy(access.server, env);
  if (access.server.startsWith('http:')) {
    return new http.Agent(idle);
  }
  return proxy === undefined
    ? new https.Agent(idle)
    : proxyAgent(proxy, { timeout: socksTimeout, signal }, idle);
}

function exchange(
  agent: http.Agent,
  access: ClusterAccess,
  ca: string | undefined,
  call: TransportRequest,
): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const request = begun(agent, access, ca, call);
    // A time-out of the socket alone covers neither name resolution nor an answer that trickles in.
    const timer = setTimeout(() => {
      const error = new Error(`no answer within ${call.timeout / 1000} s`);
      request.destroy(error);
      // A request that still waits for its proxy does not tell that it was destroyed.
      reject(failure(error, request));
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
      response.on('error', (error) => reject(failure(error, request)));
    });
    request.on('error', (error) => reject(failure(error, request)));
    request.on('close', () => {
      end();
      // A server that changes the protocol (101) has its connection closed without a word.
      reject(failure(new Error('the server ended the connection'), request));
    });
    request.end(call.body);
    if (call.signal?.aborted) {
      abort();
    }
  });
}

/** @throws TransportFailure for what can't be sent: a token with a line break, a certificate that is none */
function begun(
  agent: http.Agent,
  access: ClusterAccess,
  ca: string | undefined,
  call: TransportRequest,
): http.ClientRequest {
  try {
    const url = new URL(`${access.server}${call.path}`);
    return (url.protocol === 'https:' ? https : http).request(url, {
      agent,
      method: call.method,
      headers: outgoing(call),
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
  const code = error.code ?? '';
  // OpenSSL's and Node.js's words for a certificate or key that will be no better next time.
  const final = /CERT|SIGNATURE|ISSUER|^ERR_TLS|^ERR_OSSL|^EPROTO/.test(code);
  const sent = !final && !unsent.includes(code) && (request.socket === null || !request.socket.connecting);
  return new TransportFailure(error.message || code, sent, !final, { cause: error });
}
