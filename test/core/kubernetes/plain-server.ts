import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server without TLS on loopback, for commands that run as they would in front of an API server. */
export interface PlainServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts one.
 *
 * @param kubeconfig file to write, which leads to it
 */
export async function plainServer(listener: RequestListener, kubeconfig?: string): Promise<PlainServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (kubeconfig !== undefined) {
    writeFileSync(kubeconfig, kubeconfigOf(port));
  }
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A kubeconfig for a port of loopback, with a token that must not be shown. */
export function kubeconfigOf(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: { token: 'not-shown' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  });
}
