import type { SwapPhase } from './phases';
import type { SwapSlot } from './record';

/** What a phase is run with. */
export interface PhaseRun {
  readonly slot: SwapSlot;
  readonly other: SwapSlot;
  /** Whether the swap goes back: `drain` lets Argo CD deploy to the slot again. */
  readonly back: boolean;
  /** Lines for a person. */
  readonly say: (line: string) => void;
}

/** What came of it. */
export type PhaseAnswer =
  | { readonly passed: true }
  /** `final`: it is no use to ask again within the phase's time. */
  | { readonly passed: false; readonly reason: string; readonly final: boolean };

/** Runs phases that deploy nothing. */
export interface PhaseRunner {
  readonly phase: SwapPhase;
  /** Once: the machine asks again until the phase's time is over. */
  run(run: PhaseRun, signal: AbortSignal): Promise<PhaseAnswer>;
}
