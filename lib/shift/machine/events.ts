import type { CheckResult, CheckStage } from '../check';
import type { ShiftRecord } from '../lease';
import type { RouterFailure } from '../router';
import type { Weights } from '../weights';

/** What the machine is told. Every event says when: milliseconds since 1970. */
export type ShiftEvent =
  | ShiftStarted
  | ShiftLive
  | RouterFailed
  /** The record of the shift is in the lease. */
  | { readonly type: 'recorded'; readonly at: number }
  | { readonly type: 'recordFailed'; readonly at: number; readonly message: string }
  /** The weights that were to be written hold. */
  | { readonly type: 'written'; readonly at: number }
  | { readonly type: 'waited'; readonly at: number }
  | ShiftChecked
  /** A person says that it may go on beyond the pause. */
  | { readonly type: 'resumed'; readonly at: number }
  /** Nobody has said so yet. */
  | { readonly type: 'notResumed'; readonly at: number }
  /** There is no way to be told. */
  | { readonly type: 'cannotResume'; readonly at: number }
  /** Somebody else holds the lease, or has taken it over. */
  | { readonly type: 'leaseTaken'; readonly at: number; readonly message: string }
  /** It is to stop as the plan's `onInterrupt` says. */
  | { readonly type: 'interrupted'; readonly at: number }
  /** It is to stop at once. */
  | { readonly type: 'killed'; readonly at: number };

/** The first event of a shift. */
export interface ShiftStarted {
  readonly type: 'started';
  readonly at: number;
  /** What an unfinished shift left. */
  readonly record?: ShiftRecord;
  /** Where to roll back to when there is no record; by default the live weights. */
  readonly origin?: Weights;
  /** Place of the last pause that a person has let it go beyond. */
  readonly resumedTo?: number;
  /** Says why it is to roll back to the origin instead of going on. */
  readonly rollBack?: string;
}

/** The live weights were read. */
export interface ShiftLive {
  readonly type: 'live';
  readonly at: number;
  readonly weights: Weights;
  /** The weights of each member, where a shift has several rules or listeners and they differ. */
  readonly members?: readonly MemberWeights[];
}

/** A read or a write was not done; of a write it may not be known. */
export interface RouterFailed {
  readonly type: 'routerFailed';
  readonly at: number;
  readonly failure: RouterFailure;
  readonly message: string;
  /** The live weights, where they could be read. */
  readonly live?: Weights;
}

export interface MemberWeights {
  readonly name: string;
  readonly weights: Weights;
}

/** The checks of a stage have answered. */
export interface ShiftChecked {
  readonly type: 'checked';
  readonly at: number;
  readonly stage: CheckStage;
  readonly results: readonly NamedResult[];
}

export interface NamedResult extends CheckResult {
  /** Name of the check. */
  readonly name: string;
}
