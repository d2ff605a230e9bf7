import type { ShiftAction } from './actions';
import type { ShiftState } from './states';

/** What the machine answers. */
export interface ShiftAnswer {
  /** Where the machine is now: it goes into the next call. */
  readonly state: ShiftState;
  /** What to do, in order; see `ShiftAction`. */
  readonly actions: readonly ShiftAction[];
}

const none: readonly ShiftAction[] = [];
const justRead: readonly ShiftAction[] = [{ type: 'read' }];

/** Nothing new: what was asked for last still stands. */
export function stay(state: ShiftState): ShiftAnswer {
  return { state, actions: none };
}

export function answer(state: ShiftState, action: ShiftAction, log?: string): ShiftAnswer {
  return { state, actions: log === undefined ? [action] : [{ type: 'log', text: log }, action] };
}

/** The answer, after these lines of the log. */
export function withLog({ state, actions }: ShiftAnswer, texts: readonly string[]): ShiftAnswer {
  return { state, actions: [...texts.map((text) => ({ type: 'log', text }) as const), ...actions] };
}

export function read(state: ShiftState, log?: string): ShiftAnswer {
  return log === undefined ? { state, actions: justRead } : answer(state, { type: 'read' }, log);
}

export function wait(state: ShiftState, until: number, log?: string): ShiftAnswer {
  return answer(state, { type: 'wait', until, retry: false }, log);
}

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Waits before another try: a second, twice as long each time, half a minute at most. */
export function waitToRetry(state: ShiftState, at: number, attempt: number, log: string): ShiftAnswer {
  const waitMs = Math.min(firstRetryMs * 2 ** (attempt - 1), longestRetryMs);
  return answer(state, { type: 'wait', until: at + waitMs, retry: true }, log);
}

/**
 * Tries of one step before the shift gives up: then a new run may go on. The waits between them are 45 to 91 s together,
 * since the driver cuts each at random; the calls themselves come on top.
 */
export const stepAttempts = 8;

/** Tries of a rollback, with 10 to 20 minutes of waits: there is nothing better to do than to get it done. */
export const rollbackAttempts = 45;
