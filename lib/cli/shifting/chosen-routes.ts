import type { Plan } from '../../plans';
import { InvalidInput, oneOf } from '../../problems';

/**
 * The plan for all of its routes, or for the one that was asked for.
 *
 * @throws InvalidInput for a route that is not in the plan
 */
export function chosenRoutes(plan: Plan, route: string | undefined): Plan {
  if (route === undefined) {
    return plan;
  }
  const names = Object.keys(plan.routes);
  const rule = oneOf(...names);
  if (!rule.accepts(route)) {
    throw new InvalidInput(plan.file, [{ path: '--route', value: route, allowed: rule.allowed }]);
  }
  const { syncWindow } = plan;
  return {
    ...plan,
    routes: { [route]: plan.routes[route]! },
    waves: [[route]],
    // Routes that run apart end apart: one must not take away the window that another one still needs.
    ...(syncWindow && { syncWindow: { ...syncWindow, name: `${syncWindow.name}/${route}` } }),
  };
}
