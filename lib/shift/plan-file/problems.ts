import { mostTold } from '../../core/validation/document';
import { InvalidInput, isPlainObject } from '../../core/validation/problems';
import type { Problem, PlainObject } from '../../core/validation/problems';
import { placedBelow, pathText, problemsOf } from '../../core/validation/schema';
import type { PathSteps, PlacedProblem } from '../../core/validation/schema';
import { oneOf } from '../../core/validation/values';
import { capacityProblems, openCapacity } from '../capacity';
import type { CapacitySettings } from '../capacity';
import { checkContext, checkProblems, createChecks, programOnlyProblems } from '../checks';
import type { CheckSettings } from '../checks';
import { rollbackProblems, weightProblems } from '../engine';
import type { ShiftSubject, Weights } from '../engine';
import { isInProcess, isOfAws, roughSubject, routeProblems, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import { singlePlanSchema, wavesPlanSchema } from './plan-schema';

/** Everything that is wrong with the checks of a plan, whatever its routes lack. */
function planCheckProblems(checks: unknown, routes: readonly PlainObject[]): readonly PlacedProblem[] {
  const subjects: readonly ShiftSubject[] = routes.map(roughSubject);
  return [...subjects.flatMap((subject) => checkProblems(checks, subject)), ...kubeconfigProblems(checks)];
}

/** A plan is written to files, and a kubeconfig may hold credentials: a plan names one by its path. */
export function kubeconfigProblems(checks: unknown): readonly PlacedProblem[] {
  return (Array.isArray(checks) ? (checks as readonly unknown[]) : []).flatMap((check, index) =>
    placedBelow(['checks', index], programOnlyProblems(check)),
  );
}

/**
 * What checks need of routes that are sound, and do not find there: an ARN, the name of a cluster. A simulated router may
 * lack it, since simulated checks need nothing.
 */
function missingForChecks(
  { shift }: PlainObject,
  routes: readonly RouteSettings[],
): readonly PlacedProblem[] {
  const checks = (isPlainObject(shift) ? (shift.checks ?? []) : []) as readonly CheckSettings[];
  const real = routes.filter(({ router }) => !isInProcess(router));
  const found = real.flatMap((route) => {
    const context = checkContext(subjectOf(route));
    return checks.flatMap((check, index): readonly PlacedProblem[] => {
      try {
        createChecks([check], context);
        return [];
      } catch (error) {
        if (!(error instanceof InvalidInput)) {
          throw error;
        }
        const steps = ['checks', index, Object.keys(check)[0]!];
        return error.problems.map(({ allowed }) => ({ path: pathText(steps), steps, allowed }));
      }
    });
  });
  return distinct(found);
}

/** Contexts of slots that there are not, and Services that can't be found. */
function capacityInRoutes(capacity: unknown, routes: readonly PlainObject[]): readonly PlacedProblem[] {
  return isPlainObject(capacity)
    ? routes.flatMap((route) =>
        placedBelow(['shift', 'capacity'], capacityProblems(capacity, roughSubject(route))),
      )
    : [];
}

/** Without a record, no one knows after a kill what was raised. */
function leaseForCapacity(
  capacity: unknown,
  lease: unknown,
  routes: readonly PlainObject[],
): readonly PlacedProblem[] {
  const allowed = 'a lease: its record holds what shift.capacity has raised';
  const hasNoDefault = routes.some(({ router }) => !isOfAws(router) && !isInProcess(router));
  return isPlainObject(capacity) && (lease === 'none' || (lease === undefined && hasNoDefault))
    ? placedBelow([], [{ path: 'lease', value: lease, allowed }])
    : [];
}

/** What other machines read and write is kept where the lease is. */
function leaseForWatch(
  watch: unknown,
  lease: unknown,
  routes: readonly PlainObject[],
): readonly PlacedProblem[] {
  const allowed = 'a lease, or no watch: true: other machines look beside the lease';
  const hasNoDefault = routes.some(({ router }) => !isOfAws(router));
  return watch === true && (lease === 'none' || (lease === undefined && hasNoDefault))
    ? placedBelow([], [{ path: 'lease', value: lease, allowed }])
    : [];
}

/** The cluster of a slot whose name no route says. Of weights in this process it is said when the route is opened. */
function missingForCapacity(
  { shift }: PlainObject,
  routes: readonly RouteSettings[],
): readonly PlacedProblem[] {
  const { capacity } = (isPlainObject(shift) ? shift : {}) as { readonly capacity?: CapacitySettings };
  if (capacity === undefined) {
    return [];
  }
  const real = routes.filter(({ router }) => !isInProcess(router));
  const found = real.flatMap((route): readonly PlacedProblem[] => {
    try {
      openCapacity(capacity, subjectOf(route), { id: '' });
      return [];
    } catch (error) {
      if (!(error instanceof InvalidInput)) {
        throw error;
      }
      return placedBelow(['capacity'], error.problems);
    }
  });
  return distinct(found);
}

/** What a check lacks, it lacks on every route; said once, it is clear enough. */
function distinct(problems: readonly PlacedProblem[]): readonly PlacedProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.allowed}`, problem])).values()];
}

/** Everything that is wrong with the content of a plan file. */
export function planProblems(content: unknown): readonly PlacedProblem[] {
  if (!isPlainObject(content)) {
    return problemsOf(singlePlanSchema, content);
  }
  const isSeveral = 'routes' in content || 'waves' in content;
  const own = problemsOf(isSeveral ? wavesPlanSchema : singlePlanSchema, content);
  if (own.length >= mostTold) {
    // Others would stand behind these, and not be told.
    return own;
  }
  const routes = isSeveral ? routesOf(content.routes) : [{ at: [], route: content }];
  const given = routes.map(({ route }) => route);
  const slots = slotNames(given, content.weights);
  const shift: PlainObject = isPlainObject(content.shift) ? content.shift : {};
  const isTold = new Set(own.flatMap(({ path, kind, allowed }) => [`${path} ${allowed}`, `${kind} ${path}`]));
  const together = [
    ...routes.flatMap(({ at, route }) => placedBelow(at, routeProblems(route))),
    ...(isSeveral
      ? [...sameSlotsProblems(routes), ...waveProblems(namesIn(content.routes), content.waves, 'route')]
      : []),
    ...(isPlainObject(content.weights) ? sumProblems(slots, content.weights as Weights) : []),
    ...placedBelow(['shift'], rollbackProblems(shift, slots)),
    ...(shift.checks === undefined
      ? []
      : placedBelow(
          ['shift'],
          planCheckProblems(
            shift.checks,
            given.map((route) => withSlots(route, slots)),
          ),
        )),
    ...capacityInRoutes(
      shift.capacity,
      given.map((route) => withSlots(route, slots)),
    ),
    ...leaseForCapacity(shift.capacity, content.lease, given),
    ...leaseForWatch(content.watch, content.lease, given),
  ].filter(({ path, allowed }) => !isTold.has(`${path} ${allowed}`) && !isTold.has(`required ${path}`));
  const found = [...own, ...distinct(together)];
  if (found.length > 0) {
    return found;
  }
  const sound = given as unknown as readonly RouteSettings[];
  return placedBelow(['shift'], [...missingForChecks(content, sound), ...missingForCapacity(content, sound)]);
}

/** A route of a plan, and where it is there. */
interface PlacedRoute {
  readonly at: PathSteps;
  readonly route: PlainObject;
}

/** The routes that are objects. */
function routesOf(routes: unknown): readonly PlacedRoute[] {
  return Object.entries(isPlainObject(routes) ? routes : {}).flatMap(([name, route]) =>
    isPlainObject(route) ? [{ at: ['routes', name], route }] : [],
  );
}

function sumProblems(slots: readonly string[], weights: Weights): readonly PlacedProblem[] {
  return weightProblems(slots, weights).map(({ path, ...problem }) => {
    const steps = ['weights', ...(path === 'weights' ? [] : [path.slice('weights.'.length)])];
    return { ...problem, path, steps };
  });
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

function sameSlotsProblems(routes: readonly PlacedRoute[]): readonly PlacedProblem[] {
  const known = routes.flatMap(({ at, route: { slots } }) =>
    isPlainObject(slots) ? [{ steps: [...at, 'slots'], names: Object.keys(slots) }] : [],
  );
  const sorted = (names: readonly string[]): string => [...names].sort().join(', ');
  const all = sorted(known[0]?.names ?? []);
  return known
    .filter(({ names }) => sorted(names) !== all)
    .map(({ steps, names }) => ({
      path: pathText(steps),
      steps,
      value: names,
      allowed: `the slots of every route: ${all}`,
    }));
}

function namesIn(routes: unknown): readonly string[] {
  return isPlainObject(routes) ? Object.keys(routes) : [];
}

/**
 * Each name is in one wave, where there are lists of names.
 *
 * @param what a name is of: `route`
 */
export function waveProblems(
  names: readonly string[],
  waves: unknown,
  what: string,
): readonly PlacedProblem[] {
  const isSound = Array.isArray(waves) && waves.length > 0 && waves.every(Array.isArray);
  if (!isSound || names.length === 0) {
    return [];
  }
  const { allowed } = oneOf(...names);
  const seen = new Set<unknown>();
  const found = (waves as readonly (readonly unknown[])[]).flatMap((wave, index) =>
    wave.flatMap((name, position): readonly Problem[] => {
      const isAgain = seen.has(name);
      seen.add(name);
      const isKnown = typeof name === 'string' && names.includes(name);
      return isKnown && !isAgain
        ? []
        : [
            {
              path: `waves[${index}][${position}]`,
              value: name,
              allowed: isKnown ? 'in one wave only' : allowed,
            },
          ];
    }),
  );
  const missing = names.filter((name) => !seen.has(name));
  const rest = `waves with every ${what}: ${missing.join(', ')} is in none`;
  return placedBelow(
    [],
    [...found, ...(missing.length > 0 ? [{ path: 'waves', value: waves, allowed: rest }] : [])],
  );
}
