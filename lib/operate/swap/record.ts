import type { FleetConfiguration, SlotSetting } from './configuration';
import type { SwapPhase } from './phases';

/** What a swap has to remember while it runs: a run that goes on after a kill starts from it. Times are milliseconds since 1970. */
export interface SwapRecord {
  /** Another one for each swap: the time it began, and a random part. */
  readonly id: string;
  /** Who began it: user and machine. */
  readonly by: string;
  /** When it began. */
  readonly startedAt: number;
  /** The slot that had all traffic, and the version of its cluster. */
  readonly old: SwapSlot;
  /** The slot that gets it. */
  readonly new: SwapSlot;
  /** Its configuration. */
  readonly setting: SlotSetting;
  /** That it goes on with what a person began. @default - it began here */
  readonly adopted?: SwapAdoption;
  /** The phase that runs, or is to run next. On the way back, the phase that is undone. */
  readonly phase: SwapPhase;
  /** When that phase began; unset while it waits for a window or for a person. */
  readonly phaseStartedAt?: number;
  /** When it began to wait for a person. */
  readonly askedAt?: number;
  /** Who agreed to the phase that runs, or is to run next. @default - no one had to, or has yet */
  readonly approvedBy?: string;
  /** Set once it goes back. */
  readonly back?: SwapBack;
  /** The configuration that was written last, or was about to be. @default - none yet: that of the beginning holds */
  readonly written?: FleetConfiguration;
  /** The configuration that was there before that write. */
  readonly before: FleetConfiguration;
  /** Phases that have ended, in order, those of the way back included. */
  readonly done: readonly DonePhase[];
  /** How the last run stopped, which left it unfinished. @default - a run is under way, or was killed */
  readonly stopped?: SwapStopped;
  /** Set once nothing of it is left to do. */
  readonly ended?: SwapEnded;
}

/** How a run stopped that left its swap unfinished. */
export interface SwapStopped {
  /** When it stopped. */
  readonly at: number;
  /** Who ran it: user and machine. */
  readonly by: string;
  /** As the run's outcome has it. */
  readonly verdict: 'held' | 'aborted';
  /** Why, for a person. */
  readonly reason: string;
}

/** One of the two slots. */
export interface SwapSlot {
  /** Name of the slot: `blue`. */
  readonly name: string;
  /** Kubernetes version of its cluster: `1.36`. */
  readonly version: string;
}

/** That a swap goes on with what a person began. */
export interface SwapAdoption {
  /** The phase that it was taken over at: what comes before was done by hand. */
  readonly phase: SwapPhase;
  /** Whether the old cluster may have been drained by hand: it had no traffic. */
  readonly mayBeDrained: boolean;
}

/** That a swap goes back. */
export interface SwapBack {
  /** Why, for a person. */
  readonly why: string;
  /** What becomes of the new cluster. */
  readonly then: 'keep' | 'delete';
  /** What is being done, or is to be done next. */
  readonly step: BackStep;
  /** When that step began; unset before. */
  readonly stepStartedAt?: number;
}

/**
 * What the way back does, in this order.
 *
 * - `allow`: Argo CD may deploy to the old cluster again. This one and the next three where `drain` may have begun.
 * - `restore`: the program makes again what it had made in the old cluster, and `drain` has deleted.
 * - `deliver`: every application is on the old cluster again.
 * - `prescale`: the old cluster has targets enough.
 * - `shift`: the old cluster gets all traffic, and the configuration says so.
 * - `drain`: what controllers of the new cluster made in AWS goes, where that cluster is to go.
 * - `delete`: the new slot is taken out of the configuration, and its cluster goes.
 */
export type BackStep = 'allow' | 'restore' | 'deliver' | 'prescale' | 'shift' | 'drain' | 'delete';

/** A phase that has ended. */
export interface DonePhase {
  /** The phase. */
  readonly phase: SwapPhase;
  /** When it began. */
  readonly startedAt: number;
  /** When it ended. */
  readonly endedAt: number;
  /** How it ended: `undone` is a step of the way back. */
  readonly verdict: 'passed' | 'failed' | 'skipped' | 'undone';
  /** Why, for a person, at most 500 characters. @default - it passed */
  readonly reason?: string;
  /** Who agreed to it. @default - no one had to */
  readonly approvedBy?: string;
}

/** How a swap ended. */
export interface SwapEnded {
  /** When it ended. */
  readonly at: number;
  /**
   * - `completed`: the new cluster has all traffic, and the old one is gone.
   * - `rolledBack`: the old cluster has all traffic; the new one stays, or is gone.
   * - `forgotten`: a person gave it up.
   */
  readonly verdict: 'completed' | 'rolledBack' | 'forgotten';
}
