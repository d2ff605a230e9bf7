import type { AddressInfo, Server as NetServer } from 'node:net';
import { createServer as createNetServer } from 'node:net';
import { createServer } from 'node:tls';
import type { Issued } from '../../manifests/certificates/issue';

const open: NetServer[] = [];

/** A TLS server on loopback that serves a certificate, and more of its chain; answers its port. */
export async function serveTls({ certificate, key }: Issued, chain: readonly Issued[] = []): Promise<number> {
  const cert = [certificate, ...chain.map((each) => each.certificate)].join('\n');
  return listen(
    createServer({ cert, key }, (socket) => void socket.on('error', () => undefined).end()).on(
      'tlsClientError',
      () => undefined,
    ),
  );
}

/** A server that answers without TLS, says nothing, or hangs up. */
export async function serveOther(what: 'http' | 'nothing' | 'cut'): Promise<number> {
  return listen(
    createNetServer((socket) => {
      socket.on('error', () => undefined);
      if (what === 'http') {
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      } else if (what === 'cut') {
        socket.destroy();
      }
    }),
  );
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createNetServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listen(server: NetServer): Promise<number> {
  open.push(server);
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('close', () => undefined);
  (server as any).destroySockets = () => sockets.forEach((each) => each.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Ends all servers of this module. */
export async function stopServers(): Promise<void> {
  await Promise.all(
    open.splice(0).map((server) => {
      (server as any).destroySockets();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
}
