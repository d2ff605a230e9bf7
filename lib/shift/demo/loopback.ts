import type { Server } from 'node:http';

/** A connection is kept longer than a demo runs: one that a server closes as it is used again would look like an error. */
export const keptOpenMs = 600_000;

/** Listens on a free port of loopback, and of nothing else. */
export function listenOnLoopback(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes a server with all of its connections; one that never listened, too. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Where a server listens: `http://127.0.0.1:PORT`. */
export function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
