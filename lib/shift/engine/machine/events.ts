import type { CheckResult, CheckStage } from '../check';
import type { ShiftRecord } from '../lease';
import type { RouterFailure } from '../router';
import type { Weights } from '../weights';

/** What the machine receives. Every event has its time: milliseconds since 1970. */
export type ShiftEvent =
  | ShiftStarted
  | ShiftLive
  | RouterFailed
  /** The record of the shift is in the lease. */
  | {
      readonly type: 'recorded';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** The record could not be written into the lease. */
  | {
      readonly type: 'recordFailed';
      /** When, in milliseconds since 1970. */
      readonly at: number;
      /** Why the record could not be written, for a person. */
      readonly message: string;
    }
  /** The weights that were to be written hold. */
  | {
      readonly type: 'written';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** The time of a `wait` is over. */
  | {
      readonly type: 'waited';
      /** When the wait was over, in milliseconds since 1970. */
      readonly at: number;
    }
  | ShiftChecked
  /** A person says that it may go on beyond the pause. */
  | {
      readonly type: 'resumed';
      /** When, in milliseconds since 1970. */
      readonly at: number;
      /** Who. @default - it is not known */
      readonly by?: string;
    }
  | ShiftRequested
  /** Nobody has said so yet. */
  | {
      readonly type: 'notResumed';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** There is no way to be told. */
  | {
      readonly type: 'cannotResume';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** Somebody else holds the lease, or has taken it over. */
  | {
      readonly type: 'leaseTaken';
      /** When, in milliseconds since 1970. */
      readonly at: number;
      /** Who holds it and until when, for a person. */
      readonly message: string;
    }
  /** It is to stop as the plan's `onInterrupt` says. */
  | {
      readonly type: 'interrupted';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    }
  /** It is to stop at once. */
  | {
      readonly type: 'killed';
      /** When, in milliseconds since 1970. */
      readonly at: number;
    };

/** A person asks for something while the shift runs. */
export interface ShiftRequested {
  /** Tells it from the other events. */
  readonly type: 'requested';
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** `hold` begins no further step until a person lets it continue; `rollBack` takes the traffic back to where it began. */
  readonly what: 'hold' | 'rollBack';
  /** Who, on one line. */
  readonly by: string;
}

/** The first event of a shift. */
export interface ShiftStarted {
  /** Tells it from the other events. */
  readonly type: 'started';
  /** When this run began, in milliseconds since 1970. */
  readonly at: number;
  /** The record of the newest shift, unfinished or ended. */
  readonly record?: ShiftRecord;
  /** Why what the lease holds is no record, for a person. */
  readonly unreadable?: string;
  /** Where to roll back to when there is no unfinished record; by default the live weights. */
  readonly origin?: Weights;
  /** What the caller left live, where it is to roll back: other weights are from another process. */
  readonly left?: Weights;
  /** Place of the last pause that a person has let it go beyond. */
  readonly resumedTo?: number;
  /** Who that was, where it is known. */
  readonly resumedBy?: string;
  /** Says why it is to roll back to the origin instead of going on. */
  readonly rollBack?: string;
  /** Whether it takes an unfinished shift back at once whose traffic this one returns. */
  readonly takeBack?: boolean;
}

/** The live weights were read. */
export interface ShiftLive {
  /** Tells it from the other events. */
  readonly type: 'live';
  /** When they were read, in milliseconds since 1970. */
  readonly at: number;
  /** Weights of every slot; of several members that differ, those of the first. */
  readonly weights: Weights;
  /** The weights of each member, where a shift has several rules or listeners and they differ. */
  readonly members?: readonly MemberWeights[];
}

/** A read or a write was not done; of a write it may not be known. */
export interface RouterFailed {
  /** Tells it from the other events. */
  readonly type: 'routerFailed';
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** What sort of failure it is. */
  readonly failure: RouterFailure;
  /** What was asked of what, and what to do, for a person. */
  readonly message: string;
  /** The live weights, where they could be read. */
  readonly live?: Weights;
}

/** The live weights of one of several rules or listeners. */
export interface MemberWeights {
  /** Name of the member's router. */
  readonly name: string;
  /** Its live weights. */
  readonly weights: Weights;
}

/** The checks of a stage have answered. */
export interface ShiftChecked {
  /** Tells it from the other events. */
  readonly type: 'checked';
  /** When the last of them had answered, in milliseconds since 1970. */
  readonly at: number;
  /** The stage that was asked for. */
  readonly stage: CheckStage;
  /** One result for each check of the stage. */
  readonly results: readonly NamedResult[];
}

/** A check's result with the check's name. */
export interface NamedResult extends CheckResult {
  /** Name of the check. */
  readonly name: string;
}

/**
 * What the machine wants done. Of the actions of one answer the last one, if it is no `log`, is to be answered with an
 * event; an answer without such an action leaves the one before in place.
 */
export type ShiftAction =
  /** Read the live weights: `live` or `routerFailed`. */
  | { readonly type: 'read' }
  /** Put this record into the lease: `recorded`, `recordFailed` or `leaseTaken`. */
  | {
      readonly type: 'record';
      /** What the next run has to know if this one is killed. */
      readonly record: ShiftRecord;
    }
  /** Write weights: `written` or `routerFailed`. */
  | {
      readonly type: 'write';
      /** Weights of every slot. */
      readonly weights: Weights;
      /** What a read right before it may find: anything else was another process, and is not overwritten. */
      readonly expected: readonly Weights[];
      /** Whether the write takes the traffic back. */
      readonly rollback: boolean;
    }
  /** Wait until then: `waited`. A wait that is a `retry` may be cut at random, down to its half. */
  | {
      readonly type: 'wait';
      /** In milliseconds since 1970. */
      readonly until: number;
      /** Whether it waits before it tries again what has failed. */
      readonly retry: boolean;
    }
  /** Ask the checks of a stage: `checked`. `next` are the weights that are about to be written. */
  | {
      readonly type: 'check';
      /** Checks of other stages are left out. */
      readonly stage: CheckStage;
      /** Set for the stage `before`. */
      readonly next?: Weights;
    }
  /** Ask whether a person lets it go beyond this place: `resumed`, `notResumed` or `cannotResume`. */
  | {
      readonly type: 'ask';
      /** Place of the pause, in percent of the way. */
      readonly place: number;
    }
  /** One line for the log. */
  | {
      readonly type: 'log';
      /** Without the time: the driver adds it. */
      readonly text: string;
    };
