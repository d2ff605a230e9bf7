import type { CheckResult, CheckStage } from './check';
import type { Weights } from './weights';

/**
 * How a shift ended.
 *
 * - `completed`: the wanted weights are live and have baked.
 * - `rolledBack`: the traffic is back where it was before, confirmed by reading it.
 * - `held`: it stopped where it was, as configured: a failed check with `hold`, an interrupt, a pause.
 * - `aborted`: it could not go on safely, and wrote nothing more: another process changed the weights, another shift runs,
 *   the router failed, a rollback could not be done.
 */
export type Verdict = 'completed' | 'rolledBack' | 'held' | 'aborted';

/** What happened in a shift: what `cluster-canary shift --json` prints. Times are ISO 8601 in UTC. */
export interface ShiftOutcome {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** How it ended. */
  readonly verdict: Verdict;
  /**
   * One or more lines for a person: what happened in one sentence, such as `green: 1,026 of 1,026 requests failed (100 %), blue
   * 0.1 %.`, then where the traffic is and what to do.
   */
  readonly reason: string;
  /** Names of the checks that failed; `checks` has their figures. @default - it did not end by a check */
  readonly failed?: readonly string[];
  /** Weights that were live before the shift; `null` if they could not be read. */
  readonly from: Weights | null;
  /** Weights that were wanted. */
  readonly to: Weights;
  /** Weights that were live at the end; `null` if they could not be read. */
  readonly final: Weights | null;
  /** Place of the pause at which it was held, in percent of the way. @default - it was not held at a pause */
  readonly pausedAt?: number;
  /** Whether it was to roll back, and there was no unfinished shift on record. @default false */
  readonly noRecord?: boolean;
  /**
   * Why the lease could not be given back, or the record not be marked as ended. The verdict holds all the same; the next run
   * of the same plan would go on with this shift. @default - it was given back
   */
  readonly leaseProblem?: string;
  /**
   * Why capacity that was raised is not given back. The verdict holds all the same; the next run gives it back.
   *
   * @default - nothing is left raised, or the shift is to go on
   */
  readonly capacityProblem?: string;
  /** Pauses that a person has let it go beyond, in earlier runs, too. @default - none whose person is known */
  readonly approvals?: readonly ApprovalRecord[];
  /** When this run began. */
  readonly startedAt: string;
  /** When this run ended. */
  readonly endedAt: string;
  /** Every change of the weights, in order. */
  readonly writes: readonly WriteRecord[];
  /** Every verdict of a check, in order. */
  readonly checks: readonly CheckRecord[];
  /** What was done and met, line by line. */
  readonly log: readonly LogRecord[];
}

/** That a person has let it go beyond a pause. */
export interface ApprovalRecord {
  /** Place of the pause, in percent of the way. */
  readonly place: number;
  /** Who, and how. */
  readonly by: string;
  /** When: ISO 8601 in UTC. */
  readonly at: string;
}

/** An approval as documents have it. */
export function approvalRecord({
  at,
  ...approval
}: Omit<ApprovalRecord, 'at'> & { readonly at: number }): ApprovalRecord {
  return { ...approval, at: new Date(at).toISOString() };
}

/** One change of the weights. */
export interface WriteRecord {
  /** When it was written: ISO 8601 in UTC. */
  readonly at: string;
  /** Weights of every slot from then on. */
  readonly weights: Weights;
  /** Whether it was the rollback. */
  readonly rollback?: boolean;
}

/** One verdict of a check. */
export interface CheckRecord extends CheckResult {
  /** When it was given: ISO 8601 in UTC. */
  readonly at: string;
  /** Name of the check. */
  readonly name: string;
  /** Whether it ran before a write or after the time of the step. */
  readonly stage: CheckStage;
}

/** One line of a shift's log. */
export interface LogRecord {
  /** When it was written: ISO 8601 in UTC. */
  readonly at: string;
  /** The line, for a person, without the time. */
  readonly text: string;
}

/**
 * Watches a shift. What it throws is ignored: a log that can't be written is no reason to leave traffic where it is.
 */
export interface ShiftObserver {
  /** Something has gone on: for a line that is drawn anew. */
  progress?(progress: ShiftProgress): void;
  /** Weights were written. */
  written?(write: WriteRecord): void;
  /** A check has answered. */
  checked?(check: CheckRecord): void;
  /** A line of the log. */
  logged?(line: LogRecord): void;
  /** The run has ended; the last call of a run. */
  ended?(outcome: ShiftOutcome): void;
}

/** Observers as one: each is called, whatever the others throw. */
export function combinedObserver(observers: readonly ShiftObserver[]): ShiftObserver {
  const each = (call: (observer: ShiftObserver) => void): void => {
    for (const observer of observers) {
      try {
        call(observer);
      } catch {
        // See ShiftObserver.
      }
    }
  };
  return {
    progress: (progress) => each((one) => one.progress?.(progress)),
    written: (write) => each((one) => one.written?.(write)),
    checked: (check) => each((one) => one.checked?.(check)),
    logged: (line) => each((one) => one.logged?.(line)),
    ended: (outcome) => each((one) => one.ended?.(outcome)),
  };
}

/** Where a shift is. Times are milliseconds since 1970. */
export interface ShiftProgress {
  /** When this was so. */
  readonly at: number;
  /** What the shift is doing. */
  readonly activity: ShiftActivity;
  /** The step that was written last, counted from 1; 0 before the first. */
  readonly step: number;
  /** How many steps there are; 0 until the live weights are known. */
  readonly steps: number;
  /** Live weights as they were last read or written; `null` until they are known. */
  readonly weights: Weights | null;
  /** Weights that were live before the shift, in an earlier run perhaps; `null` until they are known. */
  readonly from: Weights | null;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** Why the traffic goes back, for a person; `null` while it does not. */
  readonly rollbackReason: string | null;
  /** The last result of each check. */
  readonly checks: readonly CheckRecord[];
  /** When the current step or bake is over, if its checks pass; `null` at all other times. */
  readonly standsUntil: number | null;
  /** The earliest end of the whole, while it goes forwards; `null` at all other times. */
  readonly endsAt: number | null;
  /** Place of the pause that it waits at; `null` at all other times. */
  readonly pausedAt: number | null;
  /** Who has asked it to hold; `null` while no one has. */
  readonly heldBy: string | null;
  /** Pauses that a person has let it go beyond. */
  readonly approvals: readonly ApprovalRecord[];
  /** When the shift began, in an earlier run perhaps; `null` until the live weights are known. */
  readonly startedAt: number | null;
  /** Set at the end. */
  readonly verdict: Verdict | null;
}

/** Checks that keep a step from its begin or, once its time is over, from its end. */
export function checksWaitedFor(
  { activity, standsUntil, checks }: ShiftProgress,
  now: number,
): readonly CheckRecord[] {
  const isDue = standsUntil !== null && standsUntil <= now;
  const stage =
    activity === 'preparing'
      ? 'before'
      : isDue && (activity === 'standing' || activity === 'baking')
        ? 'after'
        : undefined;
  return checks.filter((check) => check.stage === stage && check.status === 'inconclusive');
}

/** What a shift is doing. */
export type ShiftActivity =
  /** Reads the live weights for the first time. */
  | 'starting'
  /** Asks the checks that come before a write. */
  | 'preparing'
  | 'writing'
  /** Weights of a step stand, under checks. */
  | 'standing'
  /** The wanted weights stand, under checks. */
  | 'baking'
  /** Waits for a person. */
  | 'paused'
  | 'rollingBack'
  /** Reads the live weights for the last time, or has ended. */
  | 'ending';
