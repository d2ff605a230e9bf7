import { opaque } from '../../../core/validation/arguments';
import { across, list, object, optional, record } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { dnsLabel } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { Schema, Unevaluated } from '../../../core/validation/schema';
import { anything, fits, oneOf, text, whole } from '../../../core/validation/values';
import type * as Routers from '../../../shift/routers';
import { openObject } from '../definition';

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
  /** Where ended shifts are kept, as a plan file says it: S3 or ConfigMaps. @default - nowhere */
  readonly history?: object;
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

/** A plan file has these, too; the command that reads it evaluates them. */
type PlanFile = WorkflowPlan & {
  readonly labels?: object;
  readonly syncWindow?: object;
  readonly watch?: boolean;
  readonly approvals?: object;
  readonly notify?: readonly object[];
};

const aMapping = opaque('a mapping');

const allWaves = 'a list of waves, each a list of names of routes';

/** The parts of a plan that make the form of a workflow. All else the command evaluates. */
export const workflowPlan: Schema<WorkflowPlan> = across(
  object<PlanFile>({
    weights: aMapping,
    router: optional(aMapping),
    slots: optional(aMapping),
    routes: optional(record(anything, fits(dnsLabel), 'a mapping of at least one route by name')),
    waves: optional(list(list(text('the name of a route'), 1, allWaves), 1, allWaves)),
    rollBack: optional(oneOf('wave', 'all')),
    shift: optional(
      openObject(() => ({
        pause: optional(list(whole(0, 99), 0, 'a list of places such as [10, 50]')),
        onInterrupt: optional(oneOf('rollback', 'hold')),
      })),
    ),
    lease: optional(anything),
    history: optional(anything),
    labels: optional(anything),
    syncWindow: optional(anything),
    watch: optional(anything),
    approvals: optional(anything),
    notify: optional(anything),
  }),
  (plan, objections) => {
    const { mustBe, mustBeSecretly } = objections;
    if (plan.routes !== undefined) {
      checkRoutes(plan, objections);
    } else {
      for (const key of ['router', 'slots'] as const) {
        if (plan[key] === undefined) {
          mustBe([key], 'a mapping');
        }
      }
      if (plan.waves !== undefined) {
        mustBe(['waves'], 'left out, or together with "routes"');
      }
    }
    const { approvals } = plan;
    if (isPlainObject(approvals) && approvals.link !== undefined) {
      mustBeSecretly(
        ['approvals', 'link'],
        'left out: the link leads to the page of "--serve", and pods of a workflow serve none; at a pause a person resumes the workflow',
      );
    }
    if (isPlainObject(plan.history) && 'folder' in plan.history) {
      mustBe(['history'], '"s3" or "kubernetes": a folder of a pod is gone when it ends');
    }
    if (lacksLease(plan)) {
      mustBe(
        ['lease'],
        'a lease, or left out with a router of AWS: without its record a pod that goes on after another would not know where the traffic came from',
      );
    }
  },
);

function checkRoutes({ routes, waves }: Unevaluated<WorkflowPlan>, { mustBe }: Objections): void {
  const names = isPlainObject(routes) ? Object.keys(routes) : [];
  if (isPlainObject(routes) && names.length === 0) {
    mustBe(['routes'], 'a mapping of at least one route by name');
  }
  const lists: readonly unknown[] = Array.isArray(waves) ? waves : [];
  if (lists.length === 0 || !lists.every((wave) => Array.isArray(wave) && wave.length > 0)) {
    return;
  }
  const seen = new Set<unknown>();
  (lists as readonly (readonly unknown[])[]).forEach((wave, index) =>
    wave.forEach((name, position) => {
      if (typeof name === 'string' && !names.includes(name)) {
        mustBe(['waves', index, position], `one of ${names.map((each) => `"${each}"`).join(', ')}`);
      } else if (seen.has(name)) {
        mustBe(['waves', index, position], 'in one wave only');
      }
      seen.add(name);
    }),
  );
  const missing = names.filter((name) => !seen.has(name));
  if (missing.length > 0) {
    mustBe(['waves'], `waves with every route: ${missing.join(', ')} is in none`);
  }
}

/**
 * A plan without a lease, by its word or since a router that is not of AWS has none. A shift of simulated weights, which are
 * in one process alone, is only tried. Routers are loaded for plans that name no lease.
 */
function lacksLease({ router, routes, lease }: Unevaluated<WorkflowPlan>): boolean {
  if (lease !== undefined && lease !== 'none') {
    return false;
  }
  const { isInProcess, isOfAws } = require('../../../shift/routers') as typeof Routers;
  const routers = isPlainObject(routes)
    ? Object.values(routes).map((route) => (route as WorkflowPlan | null)?.router)
    : [router];
  return lease === 'none'
    ? !routers.every(isInProcess)
    : routers.some((each) => !isOfAws(each) && !isInProcess(each));
}
