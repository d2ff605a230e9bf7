import type { OptionsOf } from '../problems';

/**
 * A plan as its file has it, as far as a workflow has to know it: the rest is written into the file as it is, and judged
 * by the command that reads it. What `plans.PlanSettings` is fits.
 */
export interface WorkflowPlan {
  /** Weights that the shift ends at. */
  readonly weights: Readonly<Record<string, number>>;
  /** The router of a plan for one. @default - `routes` */
  readonly router?: object;
  /** The slots of a plan for one router. @default - `routes` */
  readonly slots?: object;
  /** Routes by name. @default - `router` and `slots` */
  readonly routes?: Readonly<Record<string, object>>;
  /** Names of routes, wave by wave. @default - each route is a wave of its own, in their order */
  readonly waves?: readonly (readonly string[])[];
  /** What goes back when a route fails. @default 'wave' */
  readonly rollBack?: 'wave' | 'all';
  /** How the shift goes. @default - the command's defaults */
  readonly shift?: WorkflowShift;
  /** What keeps a second shift out, as a plan file says it. @default - an SSM parameter beside the router */
  readonly lease?: string | object;
}

/** The settings of a shift that change the form of its workflow; others go into the file as they are. */
export interface WorkflowShift {
  /** Places on the way, in percent, at which it waits for a person. @default - none */
  readonly pause?: readonly number[];
  /** What a failed check does. @default 'rollback' */
  readonly onFailure?: 'rollback' | 'hold' | object;
  /** What an interrupt does. @default 'hold' */
  readonly onInterrupt?: 'rollback' | 'hold';
}

/** Keys of a plan file; what is in the others is held against its own keys by the command. */
export const workflowPlanKeys: OptionsOf<WorkflowPlan & { labels?: object; syncWindow?: object }> = {
  weights: 'plain',
  router: 'plain',
  slots: 'plain',
  routes: 'plain',
  waves: 'list',
  rollBack: 'plain',
  shift: 'plain',
  lease: 'plain',
  labels: 'plain',
  syncWindow: 'plain',
};

/** What decides the form of a workflow. */
export interface WorkflowForm {
  /** Names of routes, wave by wave. */
  readonly waves: readonly (readonly string[])[];
  /** Places of the pauses, in order. */
  readonly pauses: readonly number[];
  /** Which waves a failure takes back; none where the plan says that a failed shift holds. */
  readonly takesBack: 'wave' | 'all' | 'none';
  /** Whether routes that are complete keep the record of where they came from, until nothing takes them back any more. */
  readonly keepsRecords: boolean;
  readonly onInterrupt: 'rollback' | 'hold';
}

/** Name of the route of a plan for one router, as the command knows it. */
const onlyRoute = 'traffic';

/** The form of the workflow of a plan without problems. */
export function formOf({ routes, waves, rollBack = 'wave', shift = {} }: WorkflowPlan): WorkflowForm {
  const ordered = waves ?? Object.keys(routes ?? { [onlyRoute]: {} }).map((name) => [name]);
  const takesBack = shift.onFailure === 'hold' ? 'none' : rollBack;
  const together =
    takesBack === 'all' ? ordered.flat().length : Math.max(...ordered.map((wave) => wave.length));
  return {
    waves: ordered,
    pauses: [...new Set(shift.pause)].sort((one, other) => one - other),
    takesBack,
    keepsRecords: takesBack !== 'none' && together > 1,
    onInterrupt: shift.onInterrupt ?? 'hold',
  };
}
