import { warningsOf } from '../schedule';
import type { ShiftPlan } from '../shift-plan';
import { stepMs } from '../shift-plan';
import { describeDuration, describeWeights } from '../texts';
import type { Course } from './states';

/** What lies ahead, and what a person should know of it. */
export function startLog(plan: ShiftPlan, course: Course): string {
  const { live, index, way } = course;
  const left = way.length - 1 - index;
  // Weights that stand on the way stand for a step's time once more.
  const leastMs = (left + (index >= 0 ? 1 : 0)) * stepMs(plan) + plan.bakeMs;
  return [
    `From ${describeWeights(live)} to ${describeWeights(plan.wanted)} in ${left} ${left === 1 ? 'step' : 'steps'}, ` +
      `at least ${describeDuration(leastMs)}.`,
    ...warningsOf(plan, leastMs).map((warning) => `Warning: ${warning}.`),
  ].join('\n');
}
