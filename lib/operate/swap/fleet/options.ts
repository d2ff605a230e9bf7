import type { Clock } from '../../../core/async';
import { opaque, refuseArguments } from '../../../core/validation/arguments';
import { object, optional } from '../../../core/validation/collections';
import type { Problem } from '../../../core/validation/problems';
import { callback, flag, oneOf, text } from '../../../core/validation/values';
import type { FleetProgram } from '../program';
import type { PulumiProgramSettings } from '../programs/pulumi-settings';
import type { SwapRecord } from '../record';
import type { PhaseAnswer, PhaseRun } from '../runner';
import type { SwapStore } from '../store';
import type { RunPhase, SwapLine, SwapObserve } from '../swap-run';
import type { AskApproval } from './approvals';

/** Runs a phase that deploys nothing, once: it is asked again until the phase's time is over. */
export type RunsPhase = (run: PhaseRun, signal: AbortSignal) => Promise<PhaseAnswer>;

/** How a swap is run. */
export interface SwapFleetOptions {
  /**
   * What is asked for: the wanted version, or the way back, with or without the end of the new cluster.
   *
   * @default 'forward'
   */
  readonly ask?: 'forward' | 'back' | 'backAndDelete';
  /** The folder that paths in the settings start from. @default - the current one */
  readonly base?: string;
  /**
   * Makes the program of `program: { pulumi: … }`: `pulumiProgram` of `cluster-canary/pulumi-swap`.
   *
   * @default - settings that name a stack are refused, since this module does not load Pulumi
   */
  readonly pulumi?: (settings: PulumiProgramSettings, options: { readonly base: string }) => FleetProgram;
  /** Whether it goes on with what a person has begun, where no record says how it came to be. @default false */
  readonly adopt?: boolean;
  /**
   * Whether it begins a swap that is as the one that went back last.
   *
   * @default false - what has failed, or a person has taken back, does not begin again by a schedule
   */
  readonly retry?: boolean;
  /** Hears of what a swap does. */
  readonly observer?: SwapFleetObserver;
  /** Interrupts it. @default - nothing does */
  readonly signal?: AbortSignal;
  /**
   * Where the record of the swap is kept. With one of your own, for example `memorySwapStore()` in a test, no history is written, and
   * the command can leave no answers.
   *
   * @default - the `lease` of the settings
   */
  readonly store?: SwapStore;
  /** Whether it waits for windows, people and soaks; else it ends `held` there, and the next call goes on. @default true */
  readonly waits?: boolean;
  /** Asks a person before phases with `approve`. @default - answers that `cluster-canary swap --approve` leaves */
  readonly approve?: AskApproval;
  /** Runs phases in place of the library: each is given the slot that it is about, and answers whether it has passed. */
  readonly runners?: Readonly<Partial<Record<RunPhase, RunsPhase>>>;
  /** Who runs it, for the record. @default - user and machine */
  readonly by?: string;
  /** Reads what there is, for tests. @default - EKS and the load balancers are asked */
  readonly observe?: SwapObserve;
  /** The time of day, and waiting for it, for tests. @default - this machine's */
  readonly clock?: Clock;
}

/** Hears of what a swap does. What it throws ends the run at once, as a kill would: the next call goes on there. */
export interface SwapFleetObserver {
  /** A line for people, as it comes. */
  log?(line: SwapLine): void;
  /** The record, before it is written: what the swap has done, and does next. */
  record?(record: SwapRecord): void;
}

const fleetOptions = object<SwapFleetOptions>({
  base: optional(text('the path of a folder')),
  pulumi: optional(callback),
  adopt: optional(flag),
  retry: optional(flag),
  observer: optional(object<SwapFleetObserver>({ log: optional(callback), record: optional(callback) })),
  signal: optional(opaque('an AbortSignal')),
  store: optional(opaque('a store, as SwapStore has it')),
  observe: optional(callback),
  clock: optional(opaque('a clock')),
  ask: optional(oneOf('forward', 'back', 'backAndDelete')),
  waits: optional(flag),
  approve: optional(callback),
  runners: optional(
    object<Partial<Record<RunPhase, RunsPhase>>>({
      ready: optional(callback),
      deliver: optional(callback),
      try: optional(callback),
      prescale: optional(callback),
      soak: optional(callback),
      drain: optional(callback),
    }),
  ),
  by: optional(text('who runs it: a text of 1 to 200 characters', /\S/, 200)),
});

/**
 * @param subject whose options they are
 * @throws InvalidInput with every problem
 */
export function checkFleetOptions(
  subject: string,
  options: SwapFleetOptions,
  together?: (sound: Partial<SwapFleetOptions>) => readonly Problem[],
): void {
  refuseArguments(subject, fleetOptions, options, together);
}
