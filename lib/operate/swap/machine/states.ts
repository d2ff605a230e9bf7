import type { SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import type { SwapAction } from './events';

/** Where a swap is. Plain data: it can be written and read again. */
export interface SwapState {
  readonly doing:
    | 'starting'
    | 'looking'
    | 'recording'
    | 'deploying'
    | 'running'
    | 'asking'
    | 'waiting'
    | 'ended';
  /** What was seen last. */
  readonly seen?: SwapSeen;
  /** The record as it was written last, or is being written. @default - no swap has begun */
  readonly record?: SwapRecord;
  /** Set at the end. */
  readonly end?: SwapEnd;
  /** What the machine has to know besides. */
  readonly memory?: Readonly<Record<string, unknown>>;
}

/** How a run of a swap ended. */
export interface SwapEnd {
  /**
   * - `completed`: the fleet has the wanted version, and no other cluster. `unchanged` where nothing was to be done.
   * - `rolledBack`: all traffic is on the old cluster, as it was asked for or after a failure.
   * - `held`: it stopped where the next run goes on: an interrupt, a wait that it was not to wait for.
   * - `aborted`: it can't go on safely, and has changed nothing more: a person has to look.
   */
  readonly verdict: 'completed' | 'rolledBack' | 'held' | 'aborted';
  readonly unchanged?: boolean;
  /** One or more lines for a person: what, where the traffic is, what to do next. */
  readonly reason: string;
  /** When it is of use to run it again, in milliseconds since 1970. @default - it says nothing */
  readonly again?: number;
}

/** What the machine answers. */
export interface SwapAnswer {
  readonly state: SwapState;
  readonly actions: readonly SwapAction[];
}
