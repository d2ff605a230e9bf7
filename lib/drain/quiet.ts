import { InvalidInput } from '../problems';
import type { Clock } from '../shift';
import type { DrainTarget } from './drain-target';

/** The largest share of live traffic that a slot has on any rule. */
export interface LiveShare {
  /** The share, in percent. */
  readonly percent: number;
  /** ARN of the rule or listener. */
  readonly where: string;
}

/** How it is made sure that a slot has no traffic. */
export interface QuietWait {
  readonly target: DrainTarget;
  /** Asks the load balancers. */
  readonly liveShare: () => Promise<LiveShare>;
  readonly clock: Clock;
  /** How long it must have had none, in milliseconds. */
  readonly quietMs: number;
  /** How long traffic that is on its way out may take, in milliseconds. @default 0 - it is refused at once */
  readonly patienceMs?: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Between two looks, in milliseconds. */
const interval = 5_000;

/**
 * Waits until a slot has had no traffic for a while.
 *
 * @throws InvalidInput where it has traffic
 */
export async function waitForQuiet(wait: QuietWait): Promise<void> {
  const { target, liveShare, clock, quietMs, patienceMs = 0, say, signal } = wait;
  const startedAt = clock.now();
  let quietSince: number | undefined;
  for (;;) {
    const share = await liveShare();
    const now = clock.now();
    if (share.percent > 0) {
      if (quietSince !== undefined || now - startedAt >= patienceMs) {
        throw trafficRefusal(target, share);
      }
      say(`Waits for ${share.percent} % of the traffic to leave ${target.slot} (on ${share.where})`);
    } else {
      if (quietSince === undefined && quietMs > 0) {
        say(`${target.slot} has no traffic; waits ${Math.ceil(quietMs / 1000)} s for connections to end`);
      }
      quietSince ??= now;
      if (now - quietSince >= quietMs) {
        return;
      }
    }
    signal?.throwIfAborted();
    const rest = quietSince === undefined ? interval : quietMs - (now - quietSince);
    await clock.sleep(Math.min(interval, rest), signal);
    signal?.throwIfAborted();
  }
}

function trafficRefusal({ fleet, slot }: DrainTarget, { percent, where }: LiveShare): InvalidInput {
  const allowed =
    `0 % before the slot is emptied, but it carries ${percent} % of the live traffic (on ${where}). ` +
    'Shift its traffic away first';
  return new InvalidInput(`drain of slot "${slot}" of fleet "${fleet}"`, [
    { path: 'traffic', value: percent, allowed },
  ]);
}
