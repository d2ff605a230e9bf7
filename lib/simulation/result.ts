import type { CheckResult, ShiftOutcome, Verdict, Weights } from '../shift';

/** What became of many simulated shifts: what `cluster-canary simulate --json` prints. */
export interface SimulationResult {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** How many shifts were simulated. */
  readonly runs: number;
  /** The seed that gives this result again. */
  readonly seed: number;
  /** Numbers of runs. A run that was killed for good counts as aborted. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Requests that were sent to a bad slot. */
  readonly exposedRequests: Percentiles;
  /** Those of them that failed there. */
  readonly failedRequests: Percentiles;
  /** Changes of the weights. */
  readonly writes: {
    /** Of the run in the middle. */
    readonly p50: number;
    /** Of the run with the most. */
    readonly max: number;
  };
  /** How long a shift took. */
  readonly durationSeconds: Percentiles;
  /** Runs in which a check, or the deadline, ended the shift. */
  readonly detection: {
    /** With a slot that was bad before. */
    readonly runs: number;
    /** With no slot that was bad before, by a check that failed. */
    readonly falseAlarms: number;
    /** With no slot that was bad before, by a check that was inconclusive for too long or by the deadline. */
    readonly undecided: number;
    /** From the first request to a bad slot to the decision; `null` without such a run. */
    readonly seconds: Percentiles | null;
    /** Requests to a bad slot until the decision. */
    readonly exposedRequests: Percentiles | null;
  };
  /** Checks that can't be simulated: they were taken to pass. */
  readonly notSimulated: readonly string[];
  /** Of a single run only. */
  readonly steps?: readonly SimulatedStep[];
  /** Of a single run only: for a report. */
  readonly outcome?: ShiftOutcome;
}

/** Of the runs in order, the one in the middle and the one that 95 of a hundred don't exceed. */
export interface Percentiles {
  /** The one in the middle. */
  readonly p50: number;
  /** The one that 95 of a hundred don't exceed. */
  readonly p95: number;
}

/** Weights that were written, and what was last said of them. */
export interface SimulatedStep {
  /** Since the start of the shift. */
  readonly atSeconds: number;
  /** Weights of every slot. */
  readonly weights: Weights;
  /** Whether it was the rollback. */
  readonly rollback: boolean;
  /** The last answer of each check while they stood. */
  readonly checks: readonly (CheckResult & {
    /** Name of the check. */
    readonly name: string;
  })[];
}

/** The smallest of the values that this part of them does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 0.5), p95: percentile(values, 0.95) };
}
