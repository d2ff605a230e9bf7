import { isKubernetesError } from '../../kubernetes';
import type { OptionsOf } from '../../problems';
import { refuseOptions } from '../../problems';
import { HeartbeatLog } from '../clock/heartbeat-log';
import { readLeases } from '../clock/read-leases';
import { waitFor } from '../wait-for';
import type { GateLimits } from './gate';
import { gateLimitsKeys } from './gate';
import type { GuardApi } from './guard-api';
import { ClockGate } from './clock-gate';
import type { GuardState } from './guard-metrics';

/** How clocks are guarded. */
export interface GuardOptions {
  /** Which nodes may take pods. @default - no gate: nothing is written */
  readonly gate?: GateLimits;
  /** Time between two looks, in milliseconds. @default 10000 - kubelet's time between two heartbeats */
  readonly interval?: number;
  /** Calls about single nodes that may be under way at once. @default 8 */
  readonly concurrency?: number;
  /** Takes what was seen after each look. */
  readonly onState: (state: GuardState) => void;
  /** Takes lines for people: what failed, which node was opened. */
  readonly log: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Waits, in milliseconds. @default - a timer */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Time that has passed, of a clock that is never set, in milliseconds. @default - performance.now() */
  readonly elapsed?: () => number;
  /** Milliseconds since 1970. @default - Date.now() */
  readonly now?: () => number;
}

const guardOptionsKeys: OptionsOf<GuardOptions> = {
  gate: gateLimitsKeys,
  interval: 'plain',
  concurrency: 'plain',
  onState: 'open',
  log: 'open',
  signal: 'open',
  wait: 'open',
  elapsed: 'open',
  now: 'open',
};

/** Heartbeats of a node that an estimate rests on: the clock of half a minute ago is of no interest. */
const kept = 4;

/**
 * Measures the clocks of all nodes again and again, until the signal is aborted; with a gate, opens new nodes whose clock
 * is right. A look that fails is told of, and the next one goes on.
 */
export async function guardClocks(api: GuardApi, options: GuardOptions): Promise<void> {
  refuseOptions('guardClocks', options, guardOptionsKeys);
  const { interval = 10_000, concurrency = 8, onState, log, signal } = options;
  const { wait = waitFor, elapsed = () => performance.now(), now = Date.now } = options;
  const heartbeats = new HeartbeatLog(kept);
  const gate = options.gate && new ClockGate(api, options.gate, concurrency, log);
  let state: GuardState = { waiting: new Map(), failedLooks: 0, opened: 0 };
  while (!signal.aborted) {
    try {
      heartbeats.take(await readLeases(api, signal), elapsed());
      const measurement = heartbeats.measured();
      state = { ...state, measurement, lookedAt: now() };
      if (gate) {
        const opened = await gate.look(measurement, signal);
        state = { ...state, waiting: gate.waiting, opened: state.opened + opened };
      }
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      if (!isKubernetesError(error)) {
        throw error;
      }
      log((error as Error).message);
      state = { ...state, failedLooks: state.failedLooks + 1 };
    }
    onState(state);
    await wait(interval, signal).catch(() => undefined);
  }
}
