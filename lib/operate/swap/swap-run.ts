import type { Clock } from '../../core/async';
import type { TrafficMover } from '../planned-shift';
import type { SwapAction, SwapEvent } from './machine/events';
import type { SwapEnd } from './machine/states';
import type { SwapPhase } from './phases';
import type { SwapPlan } from './plan';
import type { FleetProgram } from './program';
import type { DonePhase, SwapRecord } from './record';
import type { PhaseRunner } from './runner';
import type { SwapSeen } from './seen';
import type { SwapStore } from './store';

/** A phase that deploys nothing: something runs it. */
export type RunPhase = Exclude<SwapPhase, 'create' | 'shift' | 'delete'>;

/** Who agrees to a phase. */
export interface Approvals {
  /** How a person answers, in one line: `answer here with y or n`, or a command. */
  how(phase: SwapPhase): string;

  /**
   * The answer, where there is one. Asked every few seconds.
   *
   * @param swap an answer to another one is none
   */
  answer(
    phase: SwapPhase,
    swap: Pick<SwapRecord, 'id' | 'startedAt'>,
    signal: AbortSignal,
  ): Promise<{ readonly approvedBy: string } | { readonly refusedBy: string } | undefined>;
}

/** Whether a person wants a swap to go back, and has said so elsewhere. */
export type BackRequests = (
  recordId: string,
  signal: AbortSignal,
) => Promise<{ readonly by: string; readonly then: 'keep' | 'delete' } | undefined>;

/** What there is of a fleet, read from outside. */
export type SwapObserve = (signal: AbortSignal) => Promise<SwapSeen>;

/** Hears of what a run does. What it throws ends the run at once, as a kill would. */
export interface SwapObserver {
  /** A line for a person. */
  log?(line: SwapLine): void;
  /** What is about to be done. */
  action?(action: SwapAction): void;
  /** What came of it. */
  event?(event: SwapEvent): void;
}

/** A line of a swap's log. */
export interface SwapLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** One line. */
  readonly text: string;
}

/** What a run of a swap needs. */
export interface SwapRun {
  readonly plan: SwapPlan;
  readonly program: FleetProgram;
  readonly observe: SwapObserve;
  readonly runners: Readonly<Record<RunPhase, PhaseRunner>>;
  /** Moves the traffic once the program has deployed its weights. @default - the program does so itself */
  readonly mover?: TrafficMover;
  readonly store: SwapStore;
  readonly approvals: Approvals;
  /** Who runs it: user and machine. */
  readonly by: string;
  /** What is asked for: the wanted versions, or the way back. @default 'forward' */
  readonly ask?: 'forward' | 'back' | 'backAndDelete';
  /** Whether what is live may be taken over, where no record says how it came to be. @default false */
  readonly adopt?: boolean;
  /** Whether a swap begins that is as the one that went back last. @default false */
  readonly retry?: boolean;
  /** Whether it waits for windows, people and soaks; else it ends `held` there. @default true */
  readonly waits?: boolean;
  /** Asked every few seconds: then it ends what it does and goes back. @default - no request is read */
  readonly askedBack?: BackRequests;
  readonly observer?: SwapObserver;
  /** Interrupts it: what runs is ended, and the next run goes on there. @default - nothing does */
  readonly signal?: AbortSignal;
  /** The time of day, and waiting for it: records and windows are in it. @default systemClock */
  readonly clock?: Clock;
  /** A number from 0 to 1: for names of swaps and for the jitter of retries. @default Math.random */
  readonly random?: () => number;
}

/** How a run of a swap ended: what `cluster-canary swap --json` prints. */
export interface SwapOutcome extends SwapEnd {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** Name of the fleet. */
  readonly fleet: string;
  /** When this run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended, in milliseconds since 1970. */
  readonly endedAt: number;
  /** The record as it is now. @default - no swap has begun */
  readonly record?: SwapRecord;
  /** Phases that have ended, of each swap that this run has gone through, in order. */
  readonly phases: readonly RanPhase[];
  /** The newest lines, at most 2,000. */
  readonly log: readonly SwapLine[];
  /** Why the lease could not be given back: it expires by itself. @default - it was */
  readonly leaseProblem?: string;
}

/** A phase that has ended. */
export interface RanPhase extends DonePhase {
  /** Id of its swap. */
  readonly swap: string;
  /** Kubernetes version of the old cluster: `1.34`. */
  readonly from: string;
  /** Kubernetes version of the new cluster: `1.35`. */
  readonly to: string;
}
