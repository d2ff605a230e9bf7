import { readText } from '../../core/validation/problems';
import { readSettings } from '../../core/validation/read-settings';
import { checksBesideCapacity } from '../checks';
import type { CheckSettings } from '../checks';
import { isInProcess, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import type { CheckedPlanFile, PlanSettings, SinglePlanSettings, WavesPlanSettings } from './plan';
import { planProblems } from './problems';

/**
 * Reads a plan from a file.
 *
 * @throws InvalidInput with every problem of the file, each with its line and column; where it can't be read
 */
export function readPlan(file: string): CheckedPlanFile {
  return parsePlan(readText(file, 'a plan, in YAML or JSON'), file);
}

/**
 * Reads a plan from YAML or JSON.
 *
 * @param file name of the file, for messages
 * @throws InvalidInput with every problem: `plan.yaml:3:5 weights.green: 101: must be a whole percent from 0 to 100`
 */
export function parsePlan(text: string, file: string): CheckedPlanFile {
  return planOf(readSettings<PlanSettings>(text, file, planProblems), file);
}

/** The one form of both kinds of plan. */
function planOf(settings: PlanSettings, file: string): CheckedPlanFile {
  const routes = isSeveral(settings) ? settings.routes : { traffic: routeOf(settings) };
  const names = Object.keys(routes);
  const { checks = [], capacity, ...shift } = settings.shift ?? {};
  return {
    file,
    routes,
    waves: (isSeveral(settings) ? settings.waves : undefined) ?? names.map((name) => [name]),
    rollBack: (isSeveral(settings) ? settings.rollBack : undefined) ?? 'wave',
    slots: Object.keys(Object.values(routes)[0]!.slots),
    weights: settings.weights,
    shift,
    ...(capacity === undefined
      ? { checks }
      : { checks: withTargets(checks, Object.values(routes)), capacity }),
    ...(settings.lease === undefined ? {} : { lease: settings.lease }),
    ...(settings.labels === undefined ? {} : { labels: settings.labels }),
    ...(settings.syncWindow === undefined ? {} : { syncWindow: settings.syncWindow }),
    watch: settings.watch ?? false,
    ...(settings.approvals === undefined ? {} : { approvals: settings.approvals }),
    notify: settings.notify ?? [],
    ...(settings.history === undefined ? {} : { history: settings.history }),
    ...(settings.approvals === undefined ? {} : { approvals: settings.approvals }),
  };
}

/** The checks of a plan with capacity. */
function withTargets(
  checks: readonly CheckSettings[],
  routes: readonly RouteSettings[],
): readonly CheckSettings[] {
  const haveTargets = routes.every(
    (route) =>
      !isInProcess(route.router) &&
      Object.values(subjectOf(route).slots).every(({ targetGroupArn }) => targetGroupArn !== undefined),
  );
  return checksBesideCapacity(checks, haveTargets);
}

function isSeveral(settings: PlanSettings): settings is WavesPlanSettings {
  return 'routes' in settings;
}

function routeOf({ router, slots }: SinglePlanSettings): RouteSettings {
  return { router, slots };
}
