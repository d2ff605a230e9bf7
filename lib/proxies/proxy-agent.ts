import { setMaxListeners } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Proxy } from './proxy-url';
import { readProxy } from './proxy-url';
import type { Patience, Target } from './tunnel';
import { authorization, connectionBy } from './tunnel';

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
