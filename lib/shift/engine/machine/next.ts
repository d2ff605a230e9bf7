import type { ShiftPlan } from '../plan';
import { failureIn } from './check-verdict';
import { withMeasured } from './measured';
import { closed, interrupted, killed, leaseLost, returned } from './ending';
import type { ShiftEvent } from './events';
import { requested } from './requested';
import { begun } from './start';
import { stay } from './states';
import type { ShiftRecording, ShiftAnswer, ShiftReading, ShiftState } from './states';
import { announced, paused, prepared, readBefore, stood, wrote } from './stepping';
import { fail } from './transitions';

/**
 * The machine of a shift: what to do after this event. It has no clock, does no I/O and knows no chance, so that a load
 * balancer, a test and a simulation see the same shift.
 *
 * It is total: an event that a state does not wait for changes nothing, and the last action still applies.
 */
export function next(plan: ShiftPlan, state: ShiftState, event: ShiftEvent): ShiftAnswer {
  return withFailed(state, answered(plan, state, event));
}

/** The end of a shift that a check has failed in names that check, however it comes to its end. */
function withFailed(before: ShiftState, given: ShiftAnswer): ShiftAnswer {
  const failed = 'course' in before ? before.course.failed : undefined;
  const { state } = given;
  return failed === undefined || state.phase !== 'ended'
    ? given
    : { ...given, state: { ...state, end: { ...state.end, failed } } };
}

function answered(plan: ShiftPlan, state: ShiftState, event: ShiftEvent): ShiftAnswer {
  if (event.type === 'killed') {
    return killed(state);
  }
  if (event.type === 'interrupted') {
    return interrupted(plan, state);
  }
  if (event.type === 'requested') {
    return requested(plan, state, event);
  }
  return event.type === 'leaseTaken'
    ? leaseLost(state, event.message)
    : answerTo(plan, event.type === 'checked' ? withMeasured(plan, state, event.results) : state, event);
}

function answerTo(plan: ShiftPlan, state: ShiftState, event: ShiftEvent): ShiftAnswer {
  switch (state.phase) {
    case 'idle':
    case 'starting':
      return begun(plan, state, event);
    case 'preparing':
      return prepared(plan, state, event);
    case 'announcing':
      return failedBefore(plan, state, event) ?? announced(plan, state, event);
    case 'reading':
      return failedBefore(plan, state, event) ?? readBefore(plan, state, event);
    case 'writing':
      return wrote(plan, state, event);
    case 'standing':
      return stood(plan, state, event);
    case 'paused':
      return paused(plan, state, event);
    case 'returning':
      return returned(plan, state, event);
    case 'ending':
      return closed(plan, state, event);
    case 'ended':
      return stay(state);
  }
}

/** A check that fails before the next step is written, even if it has passed before that. */
function failedBefore(
  plan: ShiftPlan,
  { course }: ShiftRecording | ShiftReading,
  event: ShiftEvent,
): ShiftAnswer | undefined {
  const failure = event.type === 'checked' ? failureIn(event.results) : undefined;
  return failure && fail(plan, course, failure);
}
