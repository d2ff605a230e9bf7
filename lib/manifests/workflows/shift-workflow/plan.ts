import { dnsLabel, oneOf, wholeNumber } from '../../../core/validation/formats';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type * as Routers from '../../../shift/routers';
import { mapping } from '../definition';

/**
 * A plan as its file has it, as far as a workflow has to know it: the rest is written into the file as it is, and evaluated
 * by the command that reads it. What `planFile.PlanSettings` is fits.
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

const place = wholeNumber(0, 99);

/** What is wrong with the parts of a plan that make the form of a workflow. All else the command evaluates. */
export function workflowPlanProblems(plan: WorkflowPlan): readonly Problem[] {
  const problems = new Problems('plan');
  if (!problems.check('plan', plan, mapping)) {
    return problems.all;
  }
  problems.check('plan.weights', plan.weights, mapping);
  if (plan.routes === undefined) {
    problems.check('plan.router', plan.router, mapping);
    problems.check('plan.slots', plan.slots, mapping);
    if (plan.waves !== undefined) {
      problems.add('plan.waves', plan.waves, 'left out, or together with "routes"');
    }
  } else if (problems.check('plan.routes', plan.routes, mapping)) {
    checkRoutes(problems, plan);
  }
  checkShift(problems, plan);
  if (plan.lease === 'none' && !isSimulated(plan)) {
    problems.add(
      'plan.lease',
      plan.lease,
      'left out, or a lease: without its record a pod that goes on after another would not know where the traffic came from',
    );
  }
  return problems.all;
}

function checkRoutes(problems: Problems, { routes = {}, waves, rollBack }: WorkflowPlan): void {
  const names = Object.keys(routes);
  if (names.length === 0) {
    problems.add('plan.routes', routes, 'a mapping of at least one route by name');
  }
  for (const name of names) {
    problems.check(`plan.routes.${name}`, name, dnsLabel);
  }
  if (rollBack !== undefined) {
    problems.check('plan.rollBack', rollBack, oneOf('wave', 'all'));
  }
  if (waves === undefined) {
    return;
  }
  const lists: readonly unknown[] = Array.isArray(waves) ? waves : [];
  if (lists.length === 0 || !lists.every((wave) => Array.isArray(wave) && wave.length > 0)) {
    problems.add('plan.waves', waves, 'a list of waves, each a list of names of routes');
    return;
  }
  const seen = new Set<string>();
  (lists as readonly (readonly string[])[]).forEach((wave, index) =>
    wave.forEach((name, position) => {
      const path = `plan.waves[${index}][${position}]`;
      if (problems.check(path, name, oneOf(...names)) && seen.has(name)) {
        problems.add(path, name, 'in one wave only');
      }
      seen.add(name);
    }),
  );
  const missing = names.filter((name) => !seen.has(name));
  if (missing.length > 0) {
    problems.add('plan.waves', waves, `waves with every route: ${missing.join(', ')} is in none`);
  }
}

function checkShift(problems: Problems, { shift }: WorkflowPlan): void {
  if (shift === undefined || !problems.check('plan.shift', shift, mapping)) {
    return;
  }
  if (shift.pause !== undefined && !Array.isArray(shift.pause)) {
    problems.add('plan.shift.pause', shift.pause, 'a list of places such as [10, 50]');
  } else {
    shift.pause?.forEach((value, index) => problems.check(`plan.shift.pause[${index}]`, value, place));
  }
  if (shift.onInterrupt !== undefined) {
    problems.check('plan.shift.onInterrupt', shift.onInterrupt, oneOf('rollback', 'hold'));
  }
}

/** A shift of simulated weights, which are in one process alone, is only tried. Routers are loaded for plans without a lease. */
function isSimulated({ router, routes }: WorkflowPlan): boolean {
  const { isInProcess } = require('../../../shift/routers') as typeof Routers;
  const routers = routes
    ? Object.values(routes).map((route) => (route as WorkflowPlan | null)?.router)
    : [router];
  return routers.every(isInProcess);
}
