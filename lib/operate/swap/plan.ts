import type { SlotSetting } from './configuration';
import type { SwapPhase } from './phases';
import type { TimeWindow } from './windows';

/** What is wanted of a fleet, as the machine has to know it. Times are milliseconds. */
export interface SwapPlan {
  /** Name of the fleet. */
  readonly fleet: string;
  /** What the new slot's configuration is: of each version on the way, the last one is where it ends. */
  readonly versions: readonly SlotSetting[];
  /** Names that slots take in turn: the new slot gets the first one after the old slot's that is free. */
  readonly names: readonly string[];
  /** How traffic moves: weights of a load balancer, or the right to write of one Argo CD to another one. */
  readonly moves: 'traffic' | 'hub';
  /** How each phase goes. */
  readonly phases: Readonly<Record<SwapPhase, PhasePlan>>;
  /** When phases may begin that change something. @default - at any time */
  readonly windows?: readonly TimeWindow[];
}

/** How one phase goes. */
export interface PhasePlan {
  /** Whether it is left out. Only phases that change nothing can be. @default false */
  readonly skip?: boolean;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** The least time that it takes: that of a soak. @default 0 */
  readonly leastMs?: number;
  /** How often it is asked again within that time. @default 300000, five minutes */
  readonly everyMs?: number;
  /**
   * What becomes of the new cluster where the phase fails before `drain`: it stays for a look, or goes. The traffic goes back to
   * the old one in either case. From `drain` on a failure stops, and the next run goes on.
   */
  readonly onFailure: 'keep' | 'delete';
  /** Who has to agree before it begins. @default - no one */
  readonly approval?: PhaseApproval;
}

/** That a person has to agree. */
export interface PhaseApproval {
  /** How long it waits. */
  readonly timeoutMs: number;
  /** What happens then: it stops there (the next run asks again), goes back, or goes on. */
  readonly onTimeout: 'hold' | 'back' | 'goOn';
}
