import { openKubernetes } from '../../kubernetes';
import type { GuardState } from '../../nodes';
import { guardClocks, metricsText } from '../../nodes';
import { interrupted } from '../exit-status';
import { takeInterrupts } from '../interrupts';
import { writeNotes } from '../output';
import type { GuardFlags } from './guard-flags';
import { serveMetrics } from './metrics-server';

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
    process.exitCode = interrupted;
  } finally {
    interrupts.release();
    api.close();
  }
}
