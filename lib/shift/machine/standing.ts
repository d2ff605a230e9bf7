import type { ShiftPlan } from '../shift-plan';
import type { ShiftAnswer } from './answer';
import { answer, stay } from './answer';
import type { ShiftEvent } from './events';
import { judge, noteUnsure } from './judge';
import type { ShiftStanding } from './states';
import { complete, fail, failLate, goOn, isLate, standOn } from './transitions';

/**
 * Weights stand. Checks are asked all along: one that fails ends it at once, and when the time is over each must have
 * passed once.
 */
export function stood(plan: ShiftPlan, state: ShiftStanding, event: ShiftEvent): ShiftAnswer {
  if (state.doing === 'wait') {
    return event.type === 'waited'
      ? answer({ ...state, doing: 'checks' }, { type: 'check', stage: 'after' })
      : stay(state);
  }
  if (event.type !== 'checked' || event.stage !== 'after') {
    return stay(state);
  }
  const { course, bake, look } = state;
  const { at } = event;
  const judgement = judge(plan, look, event.results, at);
  switch (judgement.verdict) {
    case 'fail':
      return fail(plan, course, judgement.why);
    case 'pass':
      return bake || (plan.bakeMs === 0 && course.index === course.way.length - 1)
        ? complete(plan, course)
        : goOn(plan, course, at);
    case 'wait':
      return isLate(course, at)
        ? failLate(plan, course)
        : standOn(
            plan,
            course,
            at,
            bake,
            judgement.look,
            noteUnsure(plan, judgement.look, event.results, at),
          );
  }
}
