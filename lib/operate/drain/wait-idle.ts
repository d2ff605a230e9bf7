import type { Clock } from '../../core/async';
import { InvalidInput } from '../../core/validation/problems';
import type { DrainTarget } from './settings';

/** The largest share of live traffic that a slot has on any rule. */
export interface LiveShare {
  /** The share, in percent. */
  readonly percent: number;
  /** ARN of the rule or listener, or the record. */
  readonly where: string;
  /** The requests that make the share, where it is more than the weights say. @default - the weights make it */
  readonly sticky?: StickyTraffic;
}

/** Requests that reached a slot since stickiness keeps clients with it. */
export interface StickyTraffic {
  /** How many they were. */
  readonly requests: number;
  /** Of how many minutes they were counted. */
  readonly minutes: number;
  /** For how many seconds a client stays with its slot. */
  readonly seconds: number;
}

/** Where a share is, and what makes it: `arn:…; 12 requests of 60 minutes, …`. */
export function shareWords({ where, sticky }: LiveShare): string {
  return sticky === undefined
    ? where
    : `${where}; ${sticky.requests} requests in ${sticky.minutes} minutes, as stickiness keeps clients with their slot for ` +
        `${sticky.seconds} s, whatever the weights are`;
}

/** How sticky clients leave a slot whose weight is low enough. */
export function stickyWayOut({ minutes }: StickyTraffic): string {
  return (
    `Where its weight is low enough, wait until no such request was made for ${minutes} minutes (CloudWatch shows them 3 ` +
    "minutes later), take its target group off the rule, or turn the rule's stickiness off, which moves its clients at once"
  );
}

/** How it is made sure that a slot has no traffic. */
export interface IdleWait {
  readonly target: DrainTarget;
  /** Reads the load balancers. */
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
export async function waitUntilIdle(wait: IdleWait): Promise<void> {
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
      say(`Waits for ${share.percent} % of the traffic to leave ${target.slot} (on ${shareWords(share)})`);
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

function trafficRefusal({ fleet, slot }: DrainTarget, share: LiveShare): InvalidInput {
  const { percent, sticky } = share;
  const allowed =
    `0 % before the slot is emptied, but it carries ${percent} % of the live traffic (on ${shareWords(share)}). ` +
    `Shift its traffic away first${sticky === undefined ? '' : `. ${stickyWayOut(sticky)}`}`;
  return new InvalidInput(`drain of slot "${slot}" of fleet "${fleet}"`, [
    { path: 'traffic', value: percent, allowed },
  ]);
}
