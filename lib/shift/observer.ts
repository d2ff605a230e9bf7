import type { CheckRecord, LogRecord, Verdict, WriteRecord } from './outcome';
import type { Weights } from './weights';

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
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** The last result of each check. */
  readonly checks: readonly CheckRecord[];
  /** When the step or the bake that stands now is over, if its checks pass; `null` at all other times. */
  readonly standsUntil: number | null;
  /** The earliest end of the whole, while it goes forwards; `null` at all other times. */
  readonly endsAt: number | null;
  /** Place of the pause that it waits at; `null` at all other times. */
  readonly pausedAt: number | null;
  /** Set at the end. */
  readonly verdict: Verdict | null;
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
