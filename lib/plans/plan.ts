import type { CheckSettings } from '../checks';
import type { ShiftSettings, Weights } from '../shift';
import type { LabelSettings } from './label-settings';
import type { LeaseSettings } from './lease-settings';
import type { RouteSettings } from './route-settings';
import type { SyncWindowSettings } from './window-settings';

/** How a shift goes, with the checks that are asked on the way. */
export interface PlannedShift extends ShiftSettings {
  /** @default - none: nothing but an error stops the shift */
  readonly checks?: readonly CheckSettings[];
}

/** What stands in every plan file. */
export interface CommonSettings {
  /** Weights that the shift ends at: whole percents that add up to 100. Slots that are left out get 0. */
  readonly weights: Weights;
  /** @default - the defaults of each setting, and no checks */
  readonly shift?: PlannedShift;
  /** @default - an SSM parameter beside the router; none for a simulated one */
  readonly lease?: LeaseSettings;
  /** @default - no labels are written */
  readonly labels?: LabelSettings;
  /** @default - applications keep rolling out while the shift runs */
  readonly syncWindow?: SyncWindowSettings;
}

/** A plan file for one router. */
export interface SinglePlanSettings extends CommonSettings, RouteSettings {}

/** A plan file for several routers, in waves: regions, accounts, hosts. */
export interface WavesPlanSettings extends CommonSettings {
  /** By name; all have the same slots. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /**
   * Names of the routes that shift together, wave by wave: one starts when the one before has baked.
   *
   * @default - each route is a wave of its own, in their order
   */
  readonly waves?: readonly (readonly string[])[];
  /**
   * What goes back when a route fails, beside that route: its wave, or every wave. Later waves don't start.
   *
   * @default 'wave'
   */
  readonly rollBack?: 'wave' | 'all';
}

/** A plan file: YAML or JSON. Its JSON Schema is `cluster-canary/schemas/plan.json`. */
export type PlanSettings = SinglePlanSettings | WavesPlanSettings;

/** A plan that has no problem, in one form whether it is for one router or several. */
export interface Plan {
  /** File that it was read from, as it was given. */
  readonly file: string;
  /** Routes by name; a plan for one router has the one route `traffic`. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /** Names of routes, wave by wave. */
  readonly waves: readonly (readonly string[])[];
  readonly rollBack: 'wave' | 'all';
  /** Names of the slots, in the file's order. */
  readonly slots: readonly string[];
  readonly weights: Weights;
  readonly shift: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  /** @default - as in {@link CommonSettings} */
  readonly lease?: LeaseSettings;
  /** @default - no labels are written */
  readonly labels?: LabelSettings;
  /** @default - as in {@link CommonSettings} */
  readonly syncWindow?: SyncWindowSettings;
}
