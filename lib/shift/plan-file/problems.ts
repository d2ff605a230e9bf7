import { dnsLabel, oneOf } from '../../core/validation/formats';
import { knownKeys } from '../../core/validation/known-keys';
import { InvalidInput, Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem, PlainObject } from '../../core/validation/problems';
import { checkContext, checkProblems, createChecks, programOnlyProblems } from '../checks';
import type { CheckSettings } from '../checks';
import { shiftSettingsKeys, shiftSettingsProblems, weightProblems } from '../engine';
import type { ShiftSubject, Weights } from '../engine';
import { leaseProblems } from '../leases';
import { isInProcess, roughSubject, routeProblems, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import { labelProblems, syncWindowProblems } from './hub-settings';

/** Everything that is wrong with the checks of a plan, whatever its routes lack. */
function planCheckProblems(checks: unknown, routes: readonly PlainObject[]): readonly Problem[] {
  const subjects: readonly ShiftSubject[] = routes.map(roughSubject);
  return distinct([
    ...subjects.flatMap((subject) => checkProblems(checks, subject)),
    ...kubeconfigProblems(checks),
  ]);
}

/** A plan is written to files, and a kubeconfig may hold credentials: a plan names one by its path. */
export function kubeconfigProblems(checks: unknown): readonly Problem[] {
  return (Array.isArray(checks) ? (checks as readonly unknown[]) : []).flatMap((check, index) =>
    programOnlyProblems(check).map((problem) => ({ ...problem, path: `checks[${index}].${problem.path}` })),
  );
}

/**
 * What checks need of routes that are sound, and do not find there: an ARN, the name of a cluster. A simulated router may
 * lack it, since simulated checks need nothing.
 */
function missingForChecks({ shift }: PlainObject, routes: readonly RouteSettings[]): readonly Problem[] {
  const checks = (isPlainObject(shift) ? (shift.checks ?? []) : []) as readonly CheckSettings[];
  const real = routes.filter(({ router }) => !isInProcess(router));
  const found = real.flatMap((route) => {
    const context = checkContext(subjectOf(route));
    return checks.flatMap((check, index): readonly Problem[] => {
      try {
        createChecks([check], context);
        return [];
      } catch (error) {
        if (!(error instanceof InvalidInput)) {
          throw error;
        }
        const path = `checks[${index}].${Object.keys(check)[0]!}`;
        return error.problems.map(({ allowed }) => ({ path, allowed }));
      }
    });
  });
  return distinct(found);
}

/** What a check lacks, it lacks on every route; said once, it is clear enough. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.allowed}`, problem])).values()];
}

const shiftKeys = [...Object.keys(shiftSettingsKeys), 'checks'];

const common = ['weights', 'shift', 'lease', 'labels', 'syncWindow'];

const single = ['router', 'slots', ...common];

const several = ['routes', 'waves', 'rollBack', ...common];

/** Everything that is wrong with the content of a plan file. */
export function planProblems(content: unknown): readonly Problem[] {
  const problems = new Problems('plan');
  if (!isPlainObject(content)) {
    problems.add('', content, `a plan: a mapping with ${single.join(', ')}`);
    return problems.all;
  }
  const isSeveral = 'routes' in content || 'waves' in content;
  const plan = knownKeys(problems, '', content, isSeveral ? several : single);
  const routes = isSeveral ? routesOf(problems, plan) : new Map([['', plan]]);
  for (const [name, route] of routes) {
    problems.addAll(routeProblems(route), name);
  }
  const slots = slotNames([...routes.values()], plan.weights);
  problems.addAll(weightsProblems(slots, plan.weights));
  const named = [...routes.values()].map((route) => withSlots(route, slots));
  problems.addAll(shiftProblems(plan.shift, slots, named));
  problems.addAll(leaseProblems(plan.lease));
  problems.addAll(labelProblems(plan.labels));
  problems.addAll(syncWindowProblems(plan.syncWindow));
  if (problems.all.length === 0) {
    problems.addAll(
      missingForChecks(plan, [...routes.values()] as unknown as readonly RouteSettings[]),
      'shift',
    );
  }
  return problems.all;
}

function weightsProblems(slots: readonly string[], weights: unknown): readonly Problem[] {
  if (!isPlainObject(weights)) {
    const allowed = 'a mapping of whole percents by slot that add up to 100';
    return [{ path: 'weights', value: weights, allowed }];
  }
  return weightProblems(slots, weights as Weights);
}

/** Where no route has slots, the weights say what they would be: else every name would be a problem of its own. */
function slotNames(routes: readonly PlainObject[], weights: unknown): readonly string[] {
  const slots = routes.map((route) => route.slots).find(isPlainObject);
  return Object.keys(slots ?? (isPlainObject(weights) ? weights : {}));
}

function withSlots(route: PlainObject, slots: readonly string[]): PlainObject {
  return isPlainObject(route.slots)
    ? route
    : { ...route, slots: Object.fromEntries(slots.map((slot) => [slot, {}])) };
}

function shiftProblems(
  shift: unknown,
  slots: readonly string[],
  routes: readonly PlainObject[],
): readonly Problem[] {
  if (shift === undefined || shift === null) {
    return [];
  }
  const problems = new Problems('shift');
  if (!isPlainObject(shift)) {
    problems.add('shift', shift, `a mapping with ${shiftKeys.join(', ')}`);
    return problems.all;
  }
  const { checks, ...settings } = knownKeys(problems, 'shift', shift, shiftKeys);
  problems.addAll(shiftSettingsProblems(settings, slots), 'shift');
  if (checks !== undefined) {
    problems.addAll(planCheckProblems(checks, routes), 'shift');
  }
  return problems.all;
}

/** The routes that are mappings, by the path of each. */
function routesOf(
  problems: Problems,
  { routes, waves, rollBack }: PlainObject,
): ReadonlyMap<string, PlainObject> {
  if (rollBack !== undefined) {
    problems.check('rollBack', rollBack, oneOf('wave', 'all'));
  }
  if (!isPlainObject(routes) || Object.keys(routes).length === 0) {
    problems.add('routes', routes, 'a mapping of routes by name, each with router and slots');
    return new Map();
  }
  const names = Object.keys(routes);
  checkWaves(problems, waves, names);
  const found = new Map<string, PlainObject>();
  for (const [name, route] of Object.entries(routes)) {
    const path = `routes.${name}`;
    if (!dnsLabel.accepts(name)) {
      problems.add(path, name, dnsLabel.allowed);
    }
    if (isPlainObject(route)) {
      found.set(path, knownKeys(problems, path, route, ['router', 'slots']));
    } else {
      problems.add(path, route, 'a mapping with router and slots');
    }
  }
  checkSameSlots(problems, found);
  return found;
}

function checkSameSlots(problems: Problems, routes: ReadonlyMap<string, PlainObject>): void {
  const [first, ...others] = [...routes].filter(([, { slots }]) => isPlainObject(slots));
  const namesOf = ({ slots }: PlainObject): string =>
    Object.keys(slots as PlainObject)
      .sort()
      .join(', ');
  for (const [path, route] of others) {
    if (first !== undefined && namesOf(route) !== namesOf(first[1])) {
      problems.add(
        `${path}.slots`,
        Object.keys(route.slots as PlainObject),
        `the slots of every route: ${namesOf(first[1])}`,
      );
    }
  }
}

function checkWaves(problems: Problems, waves: unknown, routes: readonly string[]): void {
  if (waves === undefined) {
    return;
  }
  const lists: readonly unknown[] = Array.isArray(waves) ? waves : [];
  if (lists.length === 0 || !lists.every((wave) => Array.isArray(wave) && wave.length > 0)) {
    problems.add('waves', waves, 'a list of waves, each a list of names of routes: [[eu], [us, ap]]');
    return;
  }
  const seen = new Set<unknown>();
  for (const [index, wave] of (lists as readonly (readonly unknown[])[]).entries()) {
    for (const [position, name] of wave.entries()) {
      const path = `waves[${index}][${position}]`;
      if (problems.check(path, name, oneOf(...routes)) && seen.has(name)) {
        problems.add(path, name, 'in one wave only');
      }
      seen.add(name);
    }
  }
  const missing = routes.filter((name) => !seen.has(name));
  if (missing.length > 0) {
    problems.add('waves', waves, `waves with every route: ${missing.join(', ')} is in none`);
  }
}
