import { formatRoundedDuration, formatWeights } from '../format';
import { stepMs } from '../plan';
import type { ShiftApproval } from '../lease';
import type { ShiftPlan } from '../plan';
import { pauseBetween, warningsOf } from '../schedule';
import { placeOf, plannedSteps, sameWeights } from '../steps';
import type { ShiftStep } from '../steps';
import type { Weights } from '../weights';
import type { ShiftStarted } from './events';
import { mostApprovals } from './states';
import type { ShiftContext, ShiftAnswer } from './states';
import { end, goOn, stand } from './transitions';

/** Live weights of a step have to pass its checks first: what an earlier run saw of them is not known. */
export function setOut(plan: ShiftPlan, course: ShiftContext, at: number, log: string): ShiftAnswer {
  return course.index < 0 ? goOn(plan, course, at, log) : stand(plan, course, at, false, log);
}

export function shiftContext(
  plan: ShiftPlan,
  known: Pick<
    ShiftContext,
    'origin' | 'startedAt' | 'live' | 'possible' | 'baselines' | 'heldBy' | 'approvals'
  >,
  at: number,
  resumedTo = -1,
): ShiftContext {
  const deadlineAt = plan.deadlineMs === null ? null : at + plan.deadlineMs;
  return { ...known, ...wayOn(plan, known.origin, known.live), deadlineAt, resumedTo };
}

/** The way from the origin, if the live weights are on it; else a new one from the live weights. */
function wayOn(
  plan: ShiftPlan,
  origin: Weights,
  live: Weights,
): { way: readonly ShiftStep[]; index: number } {
  const way = plannedSteps(origin, plan);
  const index = way.findIndex(({ weights }) => sameWeights(plan.slots, weights, live));
  if (index >= 0 || sameWeights(plan.slots, origin, live)) {
    return { way, index };
  }
  // A step that went only as far as the targets could carry.
  const percent = placeOf(live, origin, plan);
  if (percent === undefined || percent === 0) {
    return { way: plannedSteps(live, plan), index };
  }
  const before = way.filter((step) => step.percent < percent);
  return {
    way: [...before, { percent, weights: live }, ...way.slice(before.length)],
    index: before.length,
  };
}

/**
 * Weights of the step after the next one; unset where there is none, or where a person has to let the shift go on before
 * that.
 */
export function weightsAhead(plan: ShiftPlan, { way, index, resumedTo }: ShiftContext): Weights | undefined {
  const [next, after] = way.slice(index + 1);
  const pause = next && after && pauseBetween(plan, next.percent, after.percent);
  return pause === undefined || pause <= resumedTo ? after?.weights : undefined;
}

export function nothingToDo(plan: ShiftPlan, origin: Weights, live: Weights): ShiftAnswer {
  const reason = `${formatWeights(plan.wanted)} is live already: there was nothing to do.`;
  return end({ verdict: 'completed', reason, finished: true, advice: 'none' }, origin, live);
}

/** What lies ahead, and what a person should know of it. */
export function startLog(plan: ShiftPlan, course: ShiftContext): string {
  const { live, index, way } = course;
  const left = way.length - 1 - index;
  // Live weights on the way stay for a step's time once more.
  const leastMs = (left + (index >= 0 ? 1 : 0)) * stepMs(plan) + plan.bakeMs;
  return [
    `From ${formatWeights(live)} to ${formatWeights(plan.wanted)} in ${left} ${left === 1 ? 'step' : 'steps'}, ` +
      `at least ${formatRoundedDuration(leastMs)}.`,
    ...warningsOf(plan, leastMs).map((warning) => `Warning: ${warning}.`),
  ].join('\n');
}

/** Who has agreed so far; the command line says it again to each try of a run. */
export function approvalsOf(
  { at, resumedTo: place, resumedBy: by }: ShiftStarted,
  approvals: readonly ShiftApproval[] = [],
): readonly ShiftApproval[] {
  const isNews = place !== undefined && by !== undefined && !approvals.some((each) => each.place === place);
  return isNews ? [...approvals, { place, by, at }].slice(-mostApprovals) : approvals;
}
