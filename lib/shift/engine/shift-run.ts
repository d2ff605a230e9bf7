import type { Clock } from '../../core/async';
import type { Capacity } from './capacity';
import type { Check } from './check';
import type { Lease } from './lease';
import type { ShiftObserver } from './outcome';
import type { ShiftPlan } from './plan';
import type { Router } from './router';
import type { Weights } from './weights';

/** That a person agrees whose name is known. */
export interface Agreed {
  /** Who, and how, on one line: `kim by the page`. */
  readonly by: string;
}

/** Where a person says that a shift may go on beyond a pause: a file, an annotation, a prompt. */
export interface Resume {
  /** How a person does it, for the log: `touch resume-50`. */
  readonly how: string;
  /**
   * Whether a call stays open until a person agrees, or its signal is aborted: the shift then continues at once. Others are made
   * again and again, and given up after the time of a check.
   *
   * @default false
   */
  readonly waits?: boolean;
  /** Whether it may go on beyond this place of the way, in percent; where it is known, by whose word, on one line. */
  resumed(place: number, signal?: AbortSignal): Promise<boolean | Agreed>;
}

/** What a person asks of a shift while it runs: on a page, by a signal. */
export interface ShiftRequest {
  /**
   * `hold` begins no further step until a person lets it continue (see `resume`); where all traffic has moved, there is nothing
   * to hold. `rollBack` takes the traffic back to where it began.
   */
  readonly what: 'hold' | 'rollBack';
  /** Who, on one line. */
  readonly by: string;
}

/** Where requests come from. */
export interface ShiftRequests {
  /**
   * Hears of each request.
   *
   * @returns what ends the subscription
   */
  subscribe(listener: (request: ShiftRequest) => void): () => void;
}

/** What `runShift` takes. */
export interface ShiftRun {
  /** The plan, as `shiftPlan` makes it of weights and settings. */
  readonly plan: ShiftPlan;
  /** What holds the weights. */
  readonly router: Router;
  /** May be empty: then it walks the steps, and nothing but an error stops it. */
  readonly checks: readonly Check[];
  /**
   * Moves the slots' capacity before their traffic; what it raised is given back once nothing of the shift is left to do.
   *
   * @default - none: autoscalers follow the traffic
   */
  readonly capacity?: Capacity;
  /** One shift at a time, and the record for the next run: `noLease()` does without both. */
  readonly lease: Lease;
  /**
   * Where to roll back to when no record says it, for callers who know what was live before an earlier run was killed.
   *
   * @default - the live weights
   */
  readonly origin?: Weights;
  /**
   * Weights that the caller's shift left, for a `rollBack` without a record: it stops where others are live.
   *
   * @default - those of the way from `origin` to the wanted weights
   */
  readonly left?: Weights;
  /**
   * The time, and waiting for it.
   * @default - counts the time that passes, so that nothing is skipped or held up where the time of day is set
   */
  readonly clock?: Clock;
  /**
   * Called with each event as it happens.
   * @default - none
   */
  readonly observer?: ShiftObserver;
  /** Interrupts it: it ends its current write, then does what the plan's `onInterrupt` says. @default - none */
  readonly signal?: AbortSignal;
  /** Ends it at once, as a second interrupt does. @default - none */
  readonly kill?: AbortSignal;
  /** How long it may go on after an interrupt, in milliseconds; then it ends at once. @default - as long as it needs */
  readonly interruptGraceMs?: number;
  /** How a person lets it go beyond a pause. @default - none: it ends `held` there, and the next run goes on */
  readonly resume?: Resume;
  /** What a person asks of it while it runs. @default - no one can */
  readonly requests?: ShiftRequests;
  /** Place of the last pause, in percent, that a person has let it go beyond already. @default - none */
  readonly resumedTo?: number;
  /** Who has let it go beyond that pause, on one line, for its approvals. @default - it is not known */
  readonly resumedBy?: string;
  /** The command that runs this shift again, for what it says at the end. @default 'run the same shift again' */
  readonly runAgain?: string;
  /**
   * The command that lets it go beyond the pause at this place of the way, in percent, in the same way.
   *
   * @default - that of `runAgain`, with words that say so
   */
  readonly runBeyond?: (place: number) => string;
  /** The command that takes an unfinished shift back, in the same way. @default - none is named */
  readonly runBack?: string;
  /**
   * How long a check may take to answer, in milliseconds; one that takes longer is inconclusive. The others are asked on
   * meanwhile.
   *
   * @default 60000
   */
  readonly checkTimeoutMs?: number;
  /**
   * Leaves the record of a completed shift in the lease, so that a later run still knows its origin: one of several
   * shifts that are rolled back together.
   *
   * @default false
   */
  readonly keepRecord?: boolean;
  /**
   * Rolls back to the origin instead, be it a shift that is unfinished or one that is complete: says why.
   *
   * @default - none: it shifts
   */
  readonly rollBack?: string;
  /**
   * Takes an unfinished shift back in one write, where this one returns its traffic: no slot gets more than it had when that one
   * began, but for those that it took traffic from. Any other shift is as ever. It is `completed` then.
   *
   * @default false - it goes there in steps under checks: the slot that gets the traffic may have fewer pods by now
   */
  readonly takeBack?: boolean;
  /** Numbers from 0 to 1, to spread retries. @default Math.random */
  readonly random?: () => number;
}

/** What the first event of a run takes from it. */
export function startOf({
  origin,
  left,
  resumedTo,
  resumedBy,
  rollBack,
  takeBack,
}: ShiftRun): Pick<ShiftRun, 'origin' | 'left' | 'resumedTo' | 'resumedBy' | 'rollBack' | 'takeBack'> {
  return { origin, left, resumedTo, resumedBy, rollBack, takeBack };
}
