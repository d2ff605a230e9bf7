import type { ShiftPlan } from '../shift-plan';
import type { ShiftAnswer } from './answer';
import { answer, stay, wait } from './answer';
import type { ShiftEvent } from './events';
import { failureIn } from './judge';
import type { ShiftPaused } from './states';
import { close, fail, failLate, held, isLate, prepare, untilDeadline } from './transitions';

/** Waits for a person, and watches the weights that stand meanwhile: a check that fails does not wait. */
export function paused(plan: ShiftPlan, state: ShiftPaused, event: ShiftEvent): ShiftAnswer {
  const { course, doing, place } = state;
  const ask = { type: 'ask', place } as const;
  if (doing === 'wait') {
    if (event.type !== 'waited') {
      return stay(state);
    }
    return course.index < 0
      ? answer({ ...state, doing: 'ask' }, ask)
      : answer({ ...state, doing: 'checks' }, { type: 'check', stage: 'after' });
  }
  if (doing === 'checks') {
    if (event.type !== 'checked' || event.stage !== 'after') {
      return stay(state);
    }
    const why = failureIn(event.results);
    return why === undefined ? answer({ ...state, doing: 'ask' }, ask) : fail(plan, course, why);
  }
  if (event.type === 'cannotResume') {
    const end = held(plan, course, `Paused at ${place} % of the way, as the plan says.`, 'resume');
    return close(course, { ...end, pausedAt: place });
  }
  if (event.type !== 'resumed' && event.type !== 'notResumed') {
    return stay(state);
  }
  if (isLate(course, event.at)) {
    return failLate(plan, course);
  }
  return event.type === 'resumed'
    ? prepare({ ...course, resumedTo: place }, event.at, `Goes on beyond ${place} % of the way.`)
    : wait({ ...state, doing: 'wait' }, untilDeadline(course, event.at + plan.checkEveryMs));
}
