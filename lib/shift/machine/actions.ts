import type { CheckStage } from '../check';
import type { ShiftRecord } from '../lease';
import type { Weights } from '../weights';

/**
 * What the machine wants done. Of the actions of one answer the last one, if it is no `log`, is to be answered with an
 * event; an answer without such an action leaves the one before standing.
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
      /** What a look right before it may find: anything else was somebody else, and is not written over. */
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
