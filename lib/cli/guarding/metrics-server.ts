import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is served; each is asked anew for every request. */
export interface Served {
  /** Text of `/metrics`. */
  metrics(): string;
  /** Whether `/healthz` answers 200 or 503. */
  isHealthy(): boolean;
}

/**
 * Serves `/metrics` and `/healthz`.
 *
 * @param port 0 for one that is free
 * @returns the port, and what ends it
 */
export async function serveMetrics(
  served: Served,
  port: number,
  host?: string,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET') {
      answer(405, 'text/plain', 'only GET\n');
    } else if (path === '/metrics') {
      answer(200, 'text/plain; version=0.0.4; charset=utf-8', served.metrics());
    } else if (path === '/healthz') {
      answer(
        served.isHealthy() ? 200 : 503,
        'text/plain',
        served.isHealthy() ? 'ok\n' : 'no look for a while\n',
      );
    } else {
      answer(404, 'text/plain', 'there are /metrics and /healthz\n');
    }
  });
  await listening(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listening(server: Server, port: number, host?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
