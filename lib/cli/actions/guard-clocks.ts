import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openKubernetes } from '../../core/kubernetes/open';
import { guardClocks, metricsText } from '../../operate/clocks';
import type { GuardState } from '../../operate/clocks';
import { takeInterrupts } from '../interrupts';
import { interruptedStatus, writeNotes } from '../output';

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

/** Looks that may be late before the guard is taken for hung. */
const lateLooks = 12;

/** Runs `cluster-canary guard-clocks` until it is interrupted, and sets the exit status. */
export async function runGuard(flags: GuardFlags): Promise<void> {
  const { port, host, gate = false, limit, samples, kubeconfig, context } = flags;
  const interval = flags.interval * 1000;
  const api = await openKubernetes({ kubeconfig, context });
  const interrupts = takeInterrupts(() => undefined);
  const log = (line: string): void => writeNotes(line);
  let state: GuardState = { waiting: new Map(), failedLooks: 0, opened: 0 };
  let turned = performance.now();
  try {
    const server = await serveMetrics(
      {
        metrics: () => metricsText(state),
        isHealthy: () => performance.now() - turned < interval * lateLooks,
      },
      port,
      host,
    );
    log(`metrics on port ${server.port}`);
    try {
      await guardClocks(api, {
        ...(gate ? { gate: { limit, samples } } : {}),
        ...{ interval, log, signal: interrupts.signal },
        onState: (seen) => {
          state = seen;
          turned = performance.now();
        },
      });
    } finally {
      server.close();
    }
    process.exitCode = interruptedStatus;
  } finally {
    interrupts.release();
    api.close();
  }
}

/** What `cluster-canary guard-clocks` takes. */
export interface GuardFlags {
  readonly port: number;
  /** @default - all addresses */
  readonly host?: string;
  readonly gate?: boolean;
  /** In seconds. */
  readonly limit: number;
  readonly samples: number;
  /** In seconds. */
  readonly interval: number;
  readonly kubeconfig?: string;
  readonly context?: string;
}
