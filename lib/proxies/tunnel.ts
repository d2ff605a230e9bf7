import * as http from 'node:http';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { ProxyFailure } from './proxy-failure';
import type { Proxy } from './proxy-url';

/** What a connection is made to, as a URL has it. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** What ends an attempt. */
export interface Patience {
  /** Until the connection is made, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * A connection through a proxy.
 *
 * @param target what the proxy connects to; without one, the connection is to the proxy itself
 * @throws ProxyFailure
 */
export async function connectionBy(
  proxy: Proxy,
  target: Target | undefined,
  { timeoutMs, signal }: Patience,
): Promise<net.Socket> {
  const socket = dialled(proxy);
  let ended: ProxyFailure | undefined;
  const end = (failure: ProxyFailure): void => {
    ended = failure;
    socket.destroy(failure);
  };
  const seconds = timeoutMs / 1000;
  const late = new ProxyFailure(`the proxy ${proxy.shown} does not answer within ${seconds} s`, {
    code: 'ETIMEDOUT',
  });
  const timer = setTimeout(() => end(late), timeoutMs);
  const close = (): void => end(new ProxyFailure(`the way by the proxy ${proxy.shown} was closed`));
  signal.addEventListener('abort', close);
  try {
    await reached(socket, proxy);
    if (target) {
      await (proxy.by.startsWith('http') ? tunnelled(socket, proxy, target) : relayed(socket, proxy, target));
    }
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw ended ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', close);
  }
}

function dialled({ by, host, port }: Proxy): net.Socket {
  return by === 'https'
    ? tls.connect({
        host,
        port,
        ALPNProtocols: ['http/1.1'],
        ...(net.isIP(host) ? {} : { servername: host }),
      })
    : net.connect({ host, port });
}

/** Until the connection to the proxy stands, with TLS where the proxy wants it. */
function reached(socket: net.Socket, { by, shown }: Proxy): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = ({ message, code }: NodeJS.ErrnoException): void => {
      reject(new ProxyFailure(`the proxy ${shown} can't be reached: ${message || code}`, { code }));
    };
    const gone = (): void =>
      fail(Object.assign(new Error('it ended the connection'), { code: 'ECONNRESET' }));
    socket.once('error', fail).once('close', gone);
    socket.once(by === 'https' ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail).off('close', gone);
      resolve();
    });
  });
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#name-connect */
function tunnelled(socket: net.Socket, proxy: Proxy, { host, port }: Target): Promise<void> {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        connection: 'keep-alive',
        'proxy-connection': 'keep-alive',
        ...authorization(proxy),
      },
      createConnection: () => socket,
    });
    request.on('connect', ({ statusCode: status = 0 }, _socket, head) => {
      if (status >= 200 && status < 300) {
        socket.unshift(head);
        resolve();
        return;
      }
      reject(
        new ProxyFailure(refusal(proxy, `CONNECT ${authority}`, status), { status, code: codeOf(status) }),
      );
    });
    request.on('error', ({ message, code }: NodeJS.ErrnoException) =>
      reject(
        new ProxyFailure(`the proxy ${proxy.shown} does not answer CONNECT ${authority}: ${message}`, {
          code,
        }),
      ),
    );
    request.end();
  });
}

/** Those that may pass have a code that is tried again, as the SDK of AWS does. */
function codeOf(status: number): string {
  return status >= 500 ? 'ECONNREFUSED' : 'EPROXY';
}

/** A proxy's refusal; what it says of it is somebody else's text and is left out. */
export function refusal({ shown, login }: Proxy, asked: string, status: number): string {
  const words = http.STATUS_CODES[status];
  const advice =
    status !== 407
      ? ''
      : login
        ? ': it does not take the login in its URL'
        : ': it wants a login, in its URL';
  return `the proxy ${shown} answers ${asked} with ${status}${words ? ` (${words})` : ''}${advice}`;
}

/** The header that tells an HTTP proxy who asks. */
export function authorization({ login }: Proxy): Record<string, string> {
  return login
    ? {
        'proxy-authorization': `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`,
      }
    : {};
}

/** Names are looked up by the proxy, as kubectl has it. */
async function relayed(socket: net.Socket, proxy: Proxy, { host, port }: Target): Promise<void> {
  const { SocksClient } = await import('socks');
  try {
    await SocksClient.createConnection({
      command: 'connect',
      destination: { host, port },
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: proxy.by === 'socks4' ? 4 : 5,
        ...(proxy.login ? { userId: proxy.login.user, password: proxy.login.password } : {}),
      },
      existing_socket: socket,
    });
  } catch (error) {
    // The error itself has the login.
    const { message } = error as Error;
    throw new ProxyFailure(`the proxy ${proxy.shown} does not connect to ${host}:${port}: ${message}`, {
      code: 'ECONNREFUSED',
    });
  }
  socket.resume();
}
