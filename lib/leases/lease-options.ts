import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { OptionsOf } from '../problems';
import type { Clock } from '../shift';
import { LeaseTaken, systemClock } from '../shift';
import type { LeaseDocument } from './lease-document';

/** What every lease takes. */
export interface LeaseOptions {
  /**
   * Who takes the lease; another for every run.
   *
   * @default - user, machine and process, with a random part
   */
  readonly holder?: string;
  /**
   * How long it lasts after it was taken or kept, in milliseconds. A shift has to keep it more often than that, and a run
   * after a kill may have to wait that long.
   *
   * @default 120000
   */
  readonly duration?: number;
  /**
   * The clock by which it expires.
   * @default - the clock of this machine; clocks of holders have to agree but for a small part of the duration
   */
  readonly clock?: Clock;
}

export const leaseOptionsKeys: OptionsOf<LeaseOptions> = {
  holder: 'plain',
  duration: 'plain',
  clock: 'open',
};

/** The options with their defaults. */
export function withDefaults(options: LeaseOptions): Required<LeaseOptions> {
  return {
    holder: options.holder ?? `${userName()}@${hostname()} ${process.pid} ${randomUUID()}`,
    duration: options.duration ?? 120_000,
    clock: options.clock ?? systemClock,
  };
}

/** No run asks for a longer lease: one that would last longer was written by a clock that is wrong, or by hand. */
export const longestDuration = 24 * 60 * 60_000;

/** The holder that keeps others out now. */
export function currentHolder(document: LeaseDocument | undefined, now: number): string | undefined {
  const lasts = (document?.expiresAt ?? 0) - now;
  return lasts > 0 && lasts <= longestDuration ? document?.holder : undefined;
}

/** A holder whose name is not known any more. */
export const someone = 'somebody else';

/** A Lease may name its holder in a megabyte. */
const longestShown = 1_000;

/** The error for a lease that somebody else holds. */
export function leaseTaken(name: string, holder: string, expiresAt: number): LeaseTaken {
  const until =
    expiresAt > 0 ? `; its lease ends at ${new Date(expiresAt).toISOString()} unless it goes on` : '';
  const shown = holder.length > longestShown ? `${holder.slice(0, longestShown)}...` : holder;
  return new LeaseTaken(
    `${name}: another shift of these weights has the lease: ${shown}${until}`,
    shown,
    expiresAt,
  );
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
