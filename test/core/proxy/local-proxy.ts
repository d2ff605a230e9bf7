import type { IncomingMessage, Server as HttpServer } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';

/** What a proxy does with what it is asked. */
export interface ProxyManners {
  /** `user:password` that it wants. */
  readonly login?: string;
  /** The status of every answer. */
  readonly refuses?: number;
  /** What it sends, whatever it is asked; it goes on listening then. */
  readonly says?: string;
  /** Closes the connection at the first request. */
  readonly cuts?: boolean;
  /** Certificate and key: it is spoken to by TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/** A proxy on loopback that takes every name for 127.0.0.1, so that no name has to be known. */
export interface LocalProxy {
  readonly port: number;
  /** `CONNECT host:port` or `GET http://host:port/path`, in their order. */
  readonly asked: string[];
  /** Headers of the requests. */
  readonly headers: http.IncomingHttpHeaders[];
  /** Connections that are open. */
  readonly open: () => number;
  close(): Promise<void>;
}

/** Starts one. */
export async function localProxy(
  manners: ProxyManners = {},
  ports: Readonly<Record<string, number>> = {},
): Promise<LocalProxy> {
  const { tls, says, cuts } = manners;
  const [asked, headers]: [string[], http.IncomingHttpHeaders[]] = [[], []];
  const server: HttpServer = tls
    ? https.createServer({ cert: tls.certificate, key: tls.key })
    : http.createServer();
  const noted = (request: IncomingMessage): number | undefined => {
    asked.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    return statusOf(manners, request);
  };
  const instead = (socket: Duplex): boolean => {
    if (cuts) {
      socket.destroy();
    } else if (says !== undefined) {
      socket.write(says);
      // Else it would not hear of the end, and stay half open.
      socket.on('end', () => socket.end()).resume();
    }
    return cuts === true || says !== undefined;
  };
  server.on('connect', (request, client: Duplex) => {
    client.on('error', () => undefined);
    const status = noted(request);
    if (instead(client)) {
      return;
    }
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { port, hostname } = new URL(`http://${request.url}`);
    const upstream = net.connect(ports[hostname] ?? Number(port || 80), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  server.on('request', (request, response) => {
    const status = noted(request);
    if (instead(request.socket)) {
      return;
    }
    if (status !== undefined || !request.url!.startsWith('http://')) {
      response.writeHead(status ?? 400).end();
      return;
    }
    const { hostname, port, pathname, search } = new URL(request.url!);
    const { 'proxy-authorization': _login, ...passed } = request.headers;
    const upstream = http.request(
      {
        host: '127.0.0.1',
        port: ports[hostname] ?? port,
        method: request.method,
        path: `${pathname}${search}`,
        headers: passed,
        agent: false,
      },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  return { asked, headers, ...(await listening(server)) };
}

function statusOf({ login, refuses }: ProxyManners, { headers }: IncomingMessage): number | undefined {
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  return wanted && headers['proxy-authorization'] !== wanted ? 407 : refuses;
}

/** A SOCKS 5 proxy of that kind, with a login by name and password where one is wanted. */
export async function socksProxy(login?: string): Promise<LocalProxy> {
  const asked: string[] = [];
  const server = net.createServer((client) => void relay(client));
  const relay = async (client: Socket): Promise<void> => {
    client.on('error', () => undefined);
    const read = reader(client);
    try {
      const [, methods] = await read(2);
      await read(methods!);
      client.write(Buffer.from([5, login === undefined ? 0 : 2]));
      if (login !== undefined) {
        const [, userLength] = await read(2);
        const user = await read(userLength!);
        const [passwordLength] = await read(1);
        const password = await read(passwordLength!);
        const given = `${user.toString()}:${password.toString()}`;
        client.write(Buffer.from([1, given === login ? 0 : 1]));
      }
      const [, , , kind] = await read(4);
      const length = kind === 3 ? (await read(1))[0]! : kind === 4 ? 16 : 4;
      const address = await read(length);
      const port = (await read(2)).readUInt16BE();
      asked.push(`${kind === 3 ? address.toString() : [...address].join('.')}:${port}`);
      const upstream = net.connect(port, '127.0.0.1', () => {
        client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
        client.removeAllListeners('data');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
    } catch {
      client.destroy();
    }
  };
  return { asked, headers: [], ...(await listening(server)) };
}

/** Reads so many bytes. */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  let held = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  let ended = false;
  socket.on('data', (part) => {
    held = Buffer.concat([held, part]);
    wake();
  });
  socket.on('close', () => {
    ended = true;
    wake();
  });
  return async (bytes) => {
    while (held.length < bytes) {
      if (ended) {
        throw new Error('closed');
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const part = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return part;
  };
}

/** Listens, and ends whatever is open when it closes. */
export async function listening(
  server: Server,
): Promise<{ readonly port: number; readonly open: () => number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
