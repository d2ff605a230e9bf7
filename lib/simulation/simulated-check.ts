import type { CheckResult, CheckStage, CheckWindow } from '../shift';
import type { World } from './world';

/** A check of a plan, judged from the simulated traffic. It answers at once. */
export interface SimulatedCheck {
  readonly name: string;
  readonly stages: readonly CheckStage[];
  evaluate(window: CheckWindow, world: World): CheckResult;
}

/** One check of a plan as its file says it: an object with one key, the kind, and the settings of that kind. */
export type CheckOfPlan = Readonly<Record<string, unknown>>;
