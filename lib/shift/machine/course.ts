import type { ShiftPlan } from '../shift-plan';
import { describeWeights } from '../texts';
import type { Step } from '../way';
import { sameWeights, wayBetween } from '../way';
import type { Weights } from '../weights';
import type { ShiftAnswer } from './answer';
import type { Course } from './states';
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
