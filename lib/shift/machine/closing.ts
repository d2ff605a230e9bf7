import type { ShiftPlan } from '../shift-plan';
import type { ShiftAnswer } from './answer';
import { read, stay, stepAttempts, waitToRetry } from './answer';
import type { ShiftEvent } from './events';
import { isOneOf } from './live-weights';
import { explainFailure, mayPass } from './router-failures';
import type { ShiftEnding } from './states';
import { end, endForeign, liveOf, noteApart } from './transitions';

/** An end that says nothing of where the traffic is may be without that. */
const attemptsWithout = 2;

/** The live weights were read for the last time: an end that rests on them needs them. */
export function closed(plan: ShiftPlan, state: ShiftEnding, event: ShiftEvent): ShiftAnswer {
  const { course, end: how } = state;
  if (state.doing === 'wait') {
    return event.type === 'waited' ? read({ ...state, doing: 'read' }) : stay(state);
  }
  if (event.type === 'live') {
    return isOneOf(plan.slots, event, course.possible)
      ? end({ ...how, reason: `${how.reason}${noteApart(event)}` }, course.origin, liveOf(event))
      : endForeign(course.possible, course.origin, event, `${how.reason}\n`);
  }
  if (event.type !== 'routerFailed') {
    return stay(state);
  }
  const restsOnIt = how.verdict === 'completed' || how.verdict === 'rolledBack';
  const attempt = state.attempt + 1;
  if (mayPass(event.failure) && attempt < (restsOnIt ? stepAttempts : attemptsWithout)) {
    return waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message);
  }
  const problem = explainFailure(event.failure, event.message);
  const live = event.live ?? null;
  if (!restsOnIt) {
    return end(
      { ...how, reason: `${how.reason}\nThe live weights are not known: ${problem}` },
      course.origin,
      live,
    );
  }
  const reason = `${how.reason}\nThat could not be confirmed: ${problem}`;
  return end({ verdict: 'aborted', reason, finished: false, advice: 'runAgain' }, course.origin, live);
}
