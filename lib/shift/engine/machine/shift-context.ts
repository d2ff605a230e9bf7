import { describeDuration, describeWeights } from '../format';
import { stepMs } from '../plan';
import type { ShiftPlan } from '../plan';
import { sameWeights, warningsOf, wayBetween } from '../steps';
import type { Step } from '../steps';
import type { Weights } from '../weights';
import type { Course, ShiftAnswer } from './states';
import { end, goOn, stand } from './transitions';

/** Weights that stand on a step have to pass its checks first: what an earlier run saw of them is not known. */
export function setOut(plan: ShiftPlan, course: Course, at: number, log: string): ShiftAnswer {
  return course.index < 0 ? goOn(plan, course, at, log) : stand(plan, course, at, false, log);
}

export function courseOf(
  plan: ShiftPlan,
  known: Pick<Course, 'origin' | 'startedAt' | 'live' | 'possible'>,
  at: number,
  resumedTo = -1,
): Course {
  const deadlineAt = plan.deadlineMs === null ? null : at + plan.deadlineMs;
  return { ...known, ...wayOn(plan, known.origin, known.live), deadlineAt, resumedTo };
}

/** The way from the origin, if the live weights are on it; else a new one from the live weights. */
function wayOn(plan: ShiftPlan, origin: Weights, live: Weights): { way: readonly Step[]; index: number } {
  const way = wayBetween(origin, plan);
  const index = way.findIndex(({ weights }) => sameWeights(plan.slots, weights, live));
  const onIt = index >= 0 || sameWeights(plan.slots, origin, live);
  return { way: onIt ? way : wayBetween(live, plan), index };
}

export function nothingToDo(plan: ShiftPlan, origin: Weights, live: Weights): ShiftAnswer {
  const reason = `${describeWeights(plan.wanted)} is live already: there was nothing to do.`;
  return end({ verdict: 'completed', reason, finished: true, advice: 'none' }, origin, live);
}

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
