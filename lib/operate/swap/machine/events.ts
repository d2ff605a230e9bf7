import type { FleetConfiguration } from '../configuration';
import type { DrainedSlot } from '../program';
import type { SwapPhase } from '../phases';
import type { SwapRecord, SwapSlot } from '../record';
import type { SwapSeen } from '../seen';

/** What happened. Every event has its time, in milliseconds since 1970. */
export type SwapEvent = { readonly at: number } & (
  | SwapStarted
  | { readonly type: 'seen'; readonly seen: SwapSeen }
  /** What there is could not be read; it has been tried again. */
  | { readonly type: 'notSeen'; readonly reason: string }
  | { readonly type: 'recorded' }
  /** The record could not be written, or another process has taken over. */
  | { readonly type: 'notRecorded'; readonly reason: string }
  /** What was asked for may still be done by others, so that the end was not recorded. */
  | { readonly type: 'notWithdrawn'; readonly reason: string }
  /** A configuration is written, deployed, and a preview after it shows no change. */
  | { readonly type: 'deployed' }
  /**
   * It could not be deployed. `changed`: the configuration, or what a preview would change, is not what the swap expects, or the
   * program can't be asked: a person has to look.
   */
  | { readonly type: 'notDeployed'; readonly reason: string; readonly changed: boolean }
  /** A phase that deploys nothing has ended well. */
  | { readonly type: 'passed' }
  /** It has not: `final` where it is no use to ask again within its time. */
  | { readonly type: 'notPassed'; readonly reason: string; readonly final: boolean }
  | { readonly type: 'approved'; readonly approvedBy: string }
  | { readonly type: 'refused'; readonly refusedBy: string }
  /** No one has answered yet; `isUnread`: or the answer could not be read. */
  | { readonly type: 'notAnswered'; readonly isUnread?: boolean }
  | { readonly type: 'waited' }
  /** It is to end: what runs has been ended. */
  | { readonly type: 'interrupted' }
);

/** A run begins. */
export interface SwapStarted {
  readonly type: 'started';
  /** The newest record of the fleet's swaps, whether it has ended or not. @default - there is none */
  readonly record?: SwapRecord;
  /** A name for a swap that begins now. */
  readonly id: string;
  /** Who runs it. */
  readonly by: string;
  /** What is asked for: the wanted versions, or the way back. */
  readonly ask: 'forward' | 'back' | 'backAndDelete';
  /** Whether what is live may be taken over, where no record says how it came to be. @default false */
  readonly adopt?: boolean;
  /** Whether a swap begins that is as the one that went back last. @default false */
  readonly retry?: boolean;
  /** Whether it may wait for windows, people and soaks; else it ends `held` there. @default true */
  readonly waits?: boolean;
}

/** What the machine asks for. The driver does the last one that is no `log`, and answers with its event. */
export type SwapAction =
  /** Read what there is: `seen`, `notSeen`. */
  | { readonly type: 'look' }
  /** Write the record: `recorded`, `notRecorded`, `notWithdrawn`. */
  | { readonly type: 'record'; readonly record: SwapRecord }
  /** Write a configuration where one of `expected` is, deploy it, and preview again: `deployed`, `notDeployed`. */
  | {
      readonly type: 'deploy';
      readonly phase: SwapPhase;
      readonly configuration: FleetConfiguration;
      /** Configurations that may be there before: anything else was written by somebody else. */
      readonly expected: readonly FleetConfiguration[];
      readonly old: SwapSlot;
      readonly new: SwapSlot;
      readonly back: boolean;
      /** Slot whose drained cluster gets back what the program has made in it. @default - it is an ordinary deployment */
      readonly restore?: DrainedSlot;
      /** When it has to have ended. */
      readonly until: number;
    }
  /** Run what a phase asks, once: `passed`, `notPassed`. */
  | {
      readonly type: 'run';
      readonly phase: SwapPhase;
      /** The slot that it is about: the new one, or on the way back of `deliver` the old one. */
      readonly slot: SwapSlot;
      readonly other: SwapSlot;
      readonly back: boolean;
      readonly until: number;
    }
  /** Ask whether a person agrees: `approved`, `refused`, `notAnswered`. */
  | { readonly type: 'ask'; readonly phase: SwapPhase; readonly until: number }
  | { readonly type: 'wait'; readonly until: number; readonly why: 'window' | 'approval' | 'retry' | 'soak' }
  | { readonly type: 'log'; readonly text: string };
