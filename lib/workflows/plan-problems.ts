import type { Problem } from '../problems';
import { dnsLabel, oneOf, Problems, wholeNumber } from '../problems';
import { mapping } from './definition-problems';
import type { WorkflowPlan } from './workflow-plan';

const place = wholeNumber(0, 99);

/** What is wrong with the parts of a plan that make the form of a workflow. All else the command judges. */
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
      problems.add('plan.waves', plan.waves, 'left out, or beside "routes"');
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

/** A shift of simulated weights, which stand in one process alone, is only tried. */
function isSimulated({ router, routes }: WorkflowPlan): boolean {
  const routers = routes
    ? Object.values(routes).map((route) => (route as WorkflowPlan | null)?.router)
    : [router];
  return routers.every((each) => typeof each === 'object' && each !== null && 'simulated' in each);
}
