import { setMaxListeners } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { ProxyFailure, readProxy } from './proxy';
import type { Proxy } from './proxy';

/** What a connection is made to, as a URL has it. */
interface Target {
  readonly host: string;
  readonly port: number;
}

/** What ends an attempt. */
interface Patience {
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
async function connectionBy(
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
        new ProxyFailure(proxyRefusal(proxy, `CONNECT ${authority}`, status), {
          status,
          code: codeOf(status),
        }),
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
export function proxyRefusal({ shown, login }: Proxy, asked: string, status: number): string {
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
function authorization({ login }: Proxy): Record<string, string> {
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

/** How connections through a proxy are made and kept. */
export interface ProxyAgentOptions extends http.AgentOptions {
  /** Until a connection is made, in milliseconds. @default 10000 */
  readonly connectTimeoutMs?: number;
}

type Made = (error: Error | null, socket: Duplex) => void;

/**
 * The agent of requests through a proxy. Closing it ends connections that are still being made, too. A plain http request
 * also needs what {@link forwarded} says.
 *
 * @param protocol of the server
 * @throws ProxyFailure for what is no URL of a proxy
 */
export function proxyAgent(
  proxy: string,
  protocol: string,
  { connectTimeoutMs = 10_000, ...options }: ProxyAgentOptions = {},
): http.Agent {
  const read = readProxy(proxy);
  return protocol === 'https:'
    ? new TunnelAgent(read, connectTimeoutMs, options)
    : new ForwardAgent(read, connectTimeoutMs, options);
}

/**
 * What a plain http request says to a proxy of HTTP beside what it says to its server: the whole address, and who asks.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#name-absolute-form
 */
export function forwarded(
  proxy: string,
  { protocol, host, pathname, search }: URL,
): { readonly path?: string; readonly headers: Readonly<Record<string, string>> } {
  const read = readProxy(proxy);
  return protocol === 'https:' || !read.by.startsWith('http')
    ? { headers: {} }
    : { path: `http://${host}${pathname}${search}`, headers: authorization(read) };
}

/** Connections that are being made, and end with their agent. */
class Beginnings {
  private closing = new AbortController();

  public constructor(
    private readonly proxy: Proxy,
    private readonly timeoutMs: number,
  ) {
    setMaxListeners(0, this.closing.signal);
  }

  public begin(target: Target | undefined, made: Made, use: (socket: Duplex) => Duplex): void {
    const patience: Patience = { timeoutMs: this.timeoutMs, signal: this.closing.signal };
    connectionBy(this.proxy, target, patience)
      .then((socket) => {
        try {
          return use(socket);
        } catch (error) {
          // A certificate that is none.
          socket.destroy();
          throw error;
        }
      })
      .then(
        (socket) => made(null, socket),
        (error: Error) => (made as (error: Error) => void)(error),
      );
  }

  public end(): void {
    this.closing.abort();
    this.closing = new AbortController();
    setMaxListeners(0, this.closing.signal);
  }
}

/** For https: a tunnel to the server, with TLS at the server itself. */
class TunnelAgent extends https.Agent {
  private readonly beginnings: Beginnings;

  public constructor(proxy: Proxy, timeoutMs: number, options: https.AgentOptions) {
    super(options);
    this.beginnings = new Beginnings(proxy, timeoutMs);
  }

  public override createConnection(options: https.RequestOptions, made?: Made): undefined {
    this.beginnings.begin(targetOf(options, 443), made!, (socket) =>
      super.createConnection({ ...options, socket } as https.RequestOptions)!,
    );
  }

  public override destroy(): void {
    super.destroy();
    this.beginnings.end();
  }
}

/** For http: a proxy of HTTP passes the request on, one of SOCKS the connection. */
class ForwardAgent extends http.Agent {
  private readonly beginnings: Beginnings;

  public constructor(
    private readonly proxy: Proxy,
    timeoutMs: number,
    options: http.AgentOptions,
  ) {
    super(options);
    this.beginnings = new Beginnings(proxy, timeoutMs);
  }

  public override createConnection(options: http.ClientRequestArgs, made?: Made): undefined {
    const target = this.proxy.by.startsWith('http') ? undefined : targetOf(options, 80);
    this.beginnings.begin(target, made!, (socket) => socket);
  }

  public override destroy(): void {
    super.destroy();
    this.beginnings.end();
  }
}

function targetOf({ host, port }: http.ClientRequestArgs, defaultPort: number): Target {
  const bare = (host ?? 'localhost').replace(/^\[|\]$/g, '');
  return { host: bare, port: Number(port ?? defaultPort) };
}
