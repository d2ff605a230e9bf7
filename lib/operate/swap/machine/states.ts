import type { SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import type { SwapAction, SwapStarted } from './events';

/** Where a swap is. Plain data: it can be written and read again. */
export interface SwapState {
  /** What was asked for last; `starting` before the first event. */
  readonly doing:
    | 'starting'
    | 'looking'
    | 'recording'
    | 'deploying'
    | 'running'
    | 'asking'
    | 'waiting'
    | 'ended';
  /** The event that it started with. @default - it has not started */
  readonly start?: SwapStarted;
  /** What was seen last. */
  readonly seen?: SwapSeen;
  /** The record as it was written last, or is being written; that of an ended swap until the next one begins. */
  readonly record?: SwapRecord;
  /** What is done once the record is written, or the wait is over. @default - it does neither */
  readonly then?: SwapThen;
  /** Whether a person was asked just now; not before a wait for a window, and not by a run before. @default false */
  readonly isAsked?: boolean;
  /** Whether that person is asked once more, since it has looked meanwhile. @default false */
  readonly isConfirming?: boolean;
  /** When the wait is to end. @default - it does not wait */
  readonly due?: number;
  /**
   * From when on the time of a phase counts: when this run began it or went on with it, so that the time between two runs does
   * not count. Of a soak, when it passed last.
   */
  readonly since?: number;
  /** Swaps that this run has completed, each one version on the way. @default 0 */
  readonly legs?: number;
  /** Set at the end. */
  readonly end?: SwapEnd;
}

/** What is done after a record or a wait. */
export type SwapThen =
  | { readonly do: 'look' }
  /** Deploy, or run, what the record says. */
  | { readonly do: 'act' }
  | { readonly do: 'ask' }
  | { readonly do: 'end'; readonly end: SwapEnd };

/** A state with a record of a swap that has begun. */
export type BegunState = SwapState & { readonly start: SwapStarted; readonly record: SwapRecord };

/** How a run of a swap ended. */
export interface SwapEnd {
  /**
   * - `completed`: the fleet has the wanted version, and no other cluster. `unchanged` where nothing was to be done.
   * - `rolledBack`: all traffic is on the old cluster, as it was asked for or after a failure. `unchanged` where the last swap went
   *   back, and it is not retried.
   * - `held`: it stopped where the next run goes on: an interrupt, a wait that it was not to wait for.
   * - `aborted`: it can't go on safely, and has changed nothing more: a person has to look.
   */
  readonly verdict: 'completed' | 'rolledBack' | 'held' | 'aborted';
  /** Whether nothing was to be done. @default false */
  readonly unchanged?: boolean;
  /** Whether it ended before anything was done, since the record or what there is could not be read. @default false */
  readonly isUnread?: boolean;
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

/** Before the first event. */
export const initialSwap: SwapState = { doing: 'starting' };

/** Nothing new: the last action still applies. */
export function stay(state: SwapState): SwapAnswer {
  return { state, actions: [] };
}

/** Asks for this, after a line of the log. */
export function answer(state: SwapState, action: SwapAction, log?: string): SwapAnswer {
  return withLog({ state, actions: [action] }, log);
}

/** The answer, after a line of the log. */
export function withLog({ state, actions }: SwapAnswer, log: string | undefined): SwapAnswer {
  return { state, actions: log === undefined ? actions : [{ type: 'log', text: log }, ...actions] };
}

export function look(state: SwapState, log?: string): SwapAnswer {
  return answer({ ...state, doing: 'looking' }, { type: 'look' }, log);
}

/** Writes a record, then goes on. */
export function record(
  state: SwapState,
  written: SwapRecord,
  then: SwapThen = { do: 'look' },
  log?: string,
): SwapAnswer {
  const next = { ...state, doing: 'recording', record: written, then } as const;
  return answer(next, { type: 'record', record: written }, log);
}

/** Waits, unless it is not to wait for windows, people and soaks: then the next run goes on. */
export function wait(
  state: BegunState,
  until: number,
  why: Extract<SwapAction, { type: 'wait' }>['why'],
  { then, log, held }: { readonly then: SwapThen; readonly log?: string; readonly held: string },
): SwapAnswer {
  if (why !== 'retry' && state.start.waits === false) {
    return end(state, { verdict: 'held', reason: held, again: until });
  }
  return answer({ ...state, doing: 'waiting', then, due: until }, { type: 'wait', until, why }, log);
}

export function end({ then: _, ...state }: SwapState, how: SwapEnd): SwapAnswer {
  return {
    state: { ...state, doing: 'ended', end: how },
    actions: [{ type: 'log', text: `${endWords[how.verdict]}: ${how.reason}` }],
  };
}

/** How a run ended, for a person. */
export const endWords: Readonly<Record<SwapEnd['verdict'], string>> = {
  completed: 'Completed',
  rolledBack: 'Rolled back',
  held: 'Held',
  aborted: 'Aborted',
};

/** It can't go on safely: a person has to look. */
export function abort(state: SwapState, reason: string): SwapAnswer {
  return end(state, { verdict: 'aborted', reason });
}

/** It stops here, and the next run goes on here. */
export function hold(state: SwapState, reason: string): SwapAnswer {
  return end(state, { verdict: 'held', reason });
}
