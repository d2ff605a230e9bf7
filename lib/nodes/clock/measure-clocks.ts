import type { KubernetesReader } from '../../kubernetes';
import { isKubernetesError } from '../../kubernetes';
import type { OptionsOf } from '../../problems';
import { refuseOptions } from '../../problems';
import { waitFor } from '../wait-for';
import type { ClockMeasurement } from './clock-measurement';
import { HeartbeatLog } from './heartbeat-log';
import { readLeases } from './read-leases';

/** How clocks are measured. */
export interface ClockMeasurementOptions {
  /** Heartbeats of each node. @default 4 - kubelet sends one every 10 s, so it takes about half a minute */
  readonly samples?: number;
  /** Time between two looks, in milliseconds. @default 5000 - half of the time between two heartbeats */
  readonly interval?: number;
  /** Time after which what there is has to do, in milliseconds. @default 60000 - 1.5 times what a Lease holds */
  readonly deadline?: number;
  /** Says how far it is: so many nodes of so many are measured. */
  readonly progress?: (measured: number, all: number) => void;
  /** Ends it early, with an error. @default - none */
  readonly signal?: AbortSignal;
  /** Waits, in milliseconds. @default - a timer */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Time that has passed, of a clock that is never set, in milliseconds. @default - performance.now() */
  readonly elapsed?: () => number;
}

const clockMeasurementOptionsKeys: OptionsOf<ClockMeasurementOptions> = {
  samples: 'plain',
  interval: 'plain',
  deadline: 'plain',
  progress: 'open',
  signal: 'open',
  wait: 'open',
  elapsed: 'open',
};

/**
 * Measures the clocks of all nodes from outside, without anything on the nodes: reads their Leases again and again, until
 * each node has sent enough heartbeats or the time is up. Leases are read in pages, one page at a time.
 *
 * All nodes are measured against the API server's clock. Where there are several API servers, each heartbeat is measured
 * against that of the one which took it.
 *
 * @throws KubernetesError where Leases can't be read
 */
export async function measureClocks(
  api: KubernetesReader,
  options: ClockMeasurementOptions = {},
): Promise<ClockMeasurement> {
  const {
    samples = 4,
    interval = 5_000,
    deadline = 60_000,
    progress,
    signal,
    wait = waitFor,
    elapsed = () => performance.now(),
  } = refuseOptions('measureClocks', options, clockMeasurementOptionsKeys);
  const log = new HeartbeatLog();
  const end = elapsed() + deadline;
  for (let isFirst = true; ; isFirst = false) {
    try {
      log.take(await readLeases(api, signal), elapsed());
    } catch (error) {
      // What was read before is still good.
      if (isFirst || !isKubernetesError(error)) {
        throw error;
      }
    }
    const waitedFor = log.waitedFor(samples);
    progress?.(log.size - waitedFor, log.size);
    if (waitedFor === 0 || elapsed() + interval > end) {
      return log.measured();
    }
    await wait(interval, signal);
  }
}
