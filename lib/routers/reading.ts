import type { RouterFailure, Weights } from '../shift';

/** What was read of what stands there: weights that a shift can work on, or why it can't. */
export type Reading = FitReading | Refusal;

export interface FitReading {
  /** Whole percents of every slot. */
  readonly weights: Weights;
  /** Slots that are not there yet. */
  readonly missing: readonly string[];
  /** A line each for what every write keeps. */
  readonly notes: readonly string[];
}

/** Why a shift can't work on what stands there. */
export interface Refusal {
  readonly failure: Extract<RouterFailure, 'unfit' | 'notFound'>;
  /** What is there, and what to do. */
  readonly why: string;
}

/** A refusal for what is there but does not fit. */
export function unfit(why: string): Refusal {
  return { failure: 'unfit', why };
}

/** Whether it is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'failure' in value;
}
