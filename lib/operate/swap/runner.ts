import type { SwapPhase } from './phases';
import type { SwapSlot } from './record';

/** What a phase is run with. */
export interface PhaseRun {
  /** The slot that it is about: of `drain` the old one, else the new one; on the way back the other one. */
  readonly slot: SwapSlot;
  /** The other slot. */
  readonly other: SwapSlot;
  /** Whether the swap goes back: `drain` lets Argo CD deploy to the slot again. */
  readonly back: boolean;
  /** Lines for a person. */
  readonly say: (line: string) => void;
}

/** What came of it. */
export type PhaseAnswer =
  | {
      /** It has passed. */
      readonly passed: true;
    }
  | {
      /** It has not. */
      readonly passed: false;
      /** Why, for a person. */
      readonly reason: string;
      /** Whether it is no use to ask again within the phase's time. */
      readonly final: boolean;
    };

/** Runs phases that deploy nothing. */
export interface PhaseRunner {
  readonly phase: SwapPhase;
  /** Once: the machine asks again until the phase's time is over. */
  run(run: PhaseRun, signal: AbortSignal): Promise<PhaseAnswer>;
}
