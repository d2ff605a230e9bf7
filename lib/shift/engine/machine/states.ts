import type { CheckBaseline } from '../check';
import type { ShiftApproval, ShiftRecord } from '../lease';
import type { Verdict } from '../outcome';
import type { ShiftStep } from '../steps';
import type { Weights } from '../weights';
import type { ShiftAction, ShiftStarted } from './events';

/** What the machine answers. */
export interface ShiftAnswer {
  /** Where the machine is now: it goes into the next call. */
  readonly state: ShiftState;
  /** What to do, in order; see `ShiftAction`. */
  readonly actions: readonly ShiftAction[];
}

const none: readonly ShiftAction[] = [];

const justRead: readonly ShiftAction[] = [{ type: 'read' }];

/** Nothing new: the last action still applies. */
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

/** Where the machine is. Every state but `idle` and `ended` is one action that was requested. */
export type ShiftState =
  /** Before the first event. */
  | { readonly phase: 'idle' }
  | ShiftStarting
  | ShiftPreparing
  | ShiftRecording
  | ShiftReading
  | ShiftWriting
  | ShiftObserving
  | ShiftPaused
  | ShiftRollingBack
  | ShiftEnding
  | ShiftEnded;

/** What a shift knows once it has read the live weights. */
export interface ShiftContext {
  /** When the shift began, in an earlier run perhaps. */
  readonly startedAt: number;
  /** When the run is late; `null` without a deadline. */
  readonly deadlineAt: number | null;
  /** Where a rollback goes. */
  readonly origin: Weights;
  /** The steps from the live weights at the start to the wanted ones. */
  readonly way: readonly ShiftStep[];
  /** Which step of the way was written last; -1 before the first. */
  readonly index: number;
  /** Live weights as they were last written or read. */
  readonly live: Weights;
  /** What a read of the live weights may find; anything else was another process. */
  readonly possible: readonly Weights[];
  /** Place of the last pause that a person has let it go beyond; -1 before. */
  readonly resumedTo: number;
  /** Who has asked it to hold: before its next step it waits for a person. @default - no one has */
  readonly heldBy?: string;
  /** Pauses that it was let go beyond by a person whose name is known. @default - none */
  readonly approvals?: readonly ShiftApproval[];
  /** What checks measured before the first write, by the check's name. @default - nothing */
  readonly baselines?: Readonly<Record<string, CheckBaseline>>;
  /** What a rollback would say as well, by the name of the check that has said so last. @default - nothing */
  readonly rollbackNotes?: Readonly<Record<string, string>>;
  /** Names of the checks that it goes back or stops by. @default - none has failed */
  readonly failed?: readonly string[];
}

/** Reads the live weights for the first time. */
export interface ShiftStarting {
  /** Tells it from the other states. */
  readonly phase: 'starting';
  /** Whether it reads, or waits to try again. */
  readonly doing: 'read' | 'wait';
  /** The event that it started with. */
  readonly start: ShiftStarted;
  /** How often reading has failed. */
  readonly attempt: number;
}

/** Runs the checks that come before the next step; `after` runs those that watch the live weights at the same time. */
export interface ShiftPreparing {
  /** Tells it from the other states. */
  readonly phase: 'preparing';
  /** Which checks it runs, or that it waits to run again. */
  readonly doing: 'before' | 'after' | 'wait';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** What the checks have said so far. */
  readonly look: CheckPolling;
}

/** Records the next step, so that a run that goes on after a kill knows of it. */
export interface ShiftRecording {
  /** Tells it from the other states. */
  readonly phase: 'announcing';
  /** Whether it records, or waits to try again. */
  readonly doing: 'record' | 'wait';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** How often recording has failed. */
  readonly attempt: number;
}

/** Reads the live weights before it writes the next step. */
export interface ShiftReading {
  /** Tells it from the other states. */
  readonly phase: 'reading';
  /** Whether it reads, or waits to try again. */
  readonly doing: 'read' | 'wait';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** How often this step has failed, in reading or writing. */
  readonly attempt: number;
}

/** Writes the weights of the next step. */
export interface ShiftWriting {
  /** Tells it from the other states. */
  readonly phase: 'writing';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** How often this step has failed, in reading or writing. */
  readonly attempt: number;
}

/** The weights of a step, or at the end the wanted ones, are live under checks. */
export interface ShiftObserving {
  /** Tells it from the other states. */
  readonly phase: 'standing';
  /** Whether it waits, or asks the checks. */
  readonly doing: 'wait' | 'checks';
  /** Whether these are the wanted weights. */
  readonly bake: boolean;
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** What the checks have said so far. */
  readonly look: CheckPolling;
}

/** Waits for a person, under checks. */
export interface ShiftPaused {
  /** Tells it from the other states. */
  readonly phase: 'paused';
  /** Whether it asks if it may go on, waits, or asks the checks. */
  readonly doing: 'ask' | 'wait' | 'checks';
  /** Place of the pause, in percent of the way. */
  readonly place: number;
  /** What is known of the shift. */
  readonly course: ShiftContext;
}

/** Rolls back. */
export interface ShiftRollingBack {
  /** Tells it from the other states. */
  readonly phase: 'returning';
  /** `confirm` reads after the write. */
  readonly doing: 'record' | 'read' | 'write' | 'confirm' | 'wait';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** Weights that it rolls back to. */
  readonly target: Weights;
  /** Why it rolls back, for a person. */
  readonly why: string;
  /** Whether this run's plan wants just these weights: it is complete then. */
  readonly isWanted: boolean;
  /** How often that has failed. */
  readonly attempt: number;
}

/** Reads the live weights for the last time. */
export interface ShiftEnding {
  /** Tells it from the other states. */
  readonly phase: 'ending';
  /** Whether it reads, or waits to try again. */
  readonly doing: 'read' | 'wait';
  /** What is known of the shift. */
  readonly course: ShiftContext;
  /** How it ends, if nothing else shows. */
  readonly end: ShiftEnd;
  /** How often reading has failed. */
  readonly attempt: number;
}

/** The shift is over: the machine takes no further event. */
export interface ShiftEnded {
  /** Tells it from the other states. */
  readonly phase: 'ended';
  /** How it ended, and what is left to do. */
  readonly end: ShiftEnd;
  /** Weights that were live before the shift; `null` if they could not be read. */
  readonly origin: Weights | null;
  /** Weights that are live; `null` if they could not be read. */
  readonly live: Weights | null;
}

/** How a shift ends. */
export interface ShiftEnd {
  /** The outcome in one word. */
  readonly verdict: Verdict;
  /** One or more lines for a person. */
  readonly reason: string;
  /** Whether the next run starts anew: nothing of this shift is left to be done. */
  readonly finished: boolean;
  /** What is left to do for a person. */
  readonly advice: 'none' | 'runAgain' | 'resume' | 'finishRollback';
  /** Names of the checks that failed. @default - it did not end by a check */
  readonly failed?: readonly string[];
  /** Place of the pause at which it ended. @default - it did not end at one */
  readonly pausedAt?: number;
  /** Whether it is the end of the recorded shift although this run did not go on with it. @default false */
  readonly isOfRecord?: boolean;
  /** Whether it was to roll back, and no record said where to. @default false */
  readonly noRecord?: boolean;
}

/** Asking checks again and again until each has passed. */
export interface CheckPolling {
  /** From when on a pass counts. */
  readonly dueAt: number;
  /** From when on a check that stays inconclusive is on its way to the limit. */
  readonly limitFrom: number;
  /** Checks whose last answer was inconclusive. */
  readonly unsure: readonly InconclusiveCheck[];
  /** Checks that have passed since it was due. */
  readonly passed: readonly string[];
  /** The most weight that slots may get, by the check that has passed with less than was asked. @default - none has */
  readonly upTo?: Readonly<Record<string, Weights>>;
}

/** A check whose last answer was inconclusive. */
export interface InconclusiveCheck {
  /** Name of the check. */
  readonly name: string;
  /** When it was first inconclusive, without a pass since. */
  readonly since: number;
}

/** Before the first event. */
export const initialState: ShiftState = { phase: 'idle' };

/** Whether checks are asked in this state, or will be. */
export function asksChecks({ phase }: ShiftState): boolean {
  return phase !== 'returning' && phase !== 'ending' && phase !== 'ended';
}

/** Whether it is on its way to the next write. */
export function isAboutToWrite(state: ShiftState): state is ShiftRecording | ShiftReading {
  return state.phase === 'announcing' || state.phase === 'reading';
}

/** The record of a shift that is about to write these weights. */
export function recordOf(
  course: ShiftContext,
  wanted: Weights,
  written: Weights,
  rollingBack = false,
): ShiftRecord {
  const { origin, startedAt, possible, baselines } = course;
  const record = {
    ...{ origin, wanted, written, before: possible, startedAt },
    ...(baselines && { baselines }),
    ...personsIn(course),
  };
  return rollingBack ? { ...record, rollingBack } : record;
}

/** A parameter of SSM has room for these, and a shift has fewer pauses. */
export const mostApprovals = 10;

/** What people have said of a shift. */
export function personsIn({
  heldBy,
  approvals,
}: Pick<ShiftContext, 'heldBy' | 'approvals'>): Pick<ShiftRecord, 'heldBy' | 'approvals'> {
  return { ...(heldBy !== undefined && { heldBy }), ...(approvals && approvals.length > 0 && { approvals }) };
}
