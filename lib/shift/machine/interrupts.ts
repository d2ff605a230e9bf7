import type { ShiftPlan } from '../shift-plan';
import { describeWeights } from '../texts';
import type { ShiftAnswer } from './answer';
import { stay } from './answer';
import type { End, ShiftState } from './states';
import { close, end, held, rollBack } from './transitions';

/** An interrupt: holds or rolls back, as the plan says. A rollback or an end that is under way goes on. */
export function interrupted(plan: ShiftPlan, state: ShiftState): ShiftAnswer {
  switch (state.phase) {
    case 'idle':
    case 'starting':
      return end(early('held', 'Interrupted before it wrote anything.'), null, null);
    case 'returning':
    case 'ending':
    case 'ended':
      return stay(state);
    case 'preparing':
    case 'announcing':
    case 'reading':
    case 'writing':
    case 'standing':
    case 'paused': {
      const { course } = state;
      return plan.onInterrupt === 'rollback'
        ? rollBack(plan, course, course.origin, 'Interrupted.')
        : close(course, held(plan, course, 'Interrupted: the traffic stays where it is.'));
    }
  }
}

/** It ends at once, and nothing is read any more. */
export function killed(state: ShiftState): ShiftAnswer {
  switch (state.phase) {
    case 'ended':
      return stay(state);
    case 'idle':
    case 'starting':
      return end(early('held', 'Stopped before it wrote anything.'), null, null);
    case 'returning': {
      const reason = `Stopped before the rollback to ${describeWeights(state.target)} was confirmed.\n${state.why}`;
      // Before it is on record, the next run asks the checks again.
      const advice = state.doing === 'record' ? 'runAgain' : 'finishRollback';
      const how = { verdict: 'aborted', reason, finished: false, advice } as const;
      return end(how, state.course.origin, null);
    }
    case 'ending': {
      const { verdict, reason } = state.end;
      const unsure = verdict === 'completed' || verdict === 'rolledBack';
      const how = { ...state.end, verdict: unsure ? 'held' : verdict, finished: false } as const;
      return end(
        { ...how, reason: `${reason}\nStopped before that was confirmed.` },
        state.course.origin,
        null,
      );
    }
    case 'preparing':
    case 'announcing':
    case 'reading':
    case 'writing':
    case 'standing':
    case 'paused':
      return end(early('held', 'Stopped at once: the traffic stays where it is.'), state.course.origin, null);
  }
}

/** Another shift has the lease: it is the one that goes on. */
export function leaseLost(state: ShiftState, message: string): ShiftAnswer {
  switch (state.phase) {
    case 'ended':
    case 'ending':
      return stay(state);
    case 'idle':
    case 'starting':
      return end(early('aborted', `${message}\nThis run wrote nothing.`, 'none'), null, null);
    case 'preparing':
    case 'announcing':
    case 'reading':
    case 'writing':
    case 'standing':
    case 'paused':
    case 'returning':
      return close(state.course, early('aborted', `Another shift has taken over: ${message}`, 'none'));
  }
}

function early(verdict: End['verdict'], reason: string, advice: End['advice'] = 'runAgain'): End {
  return { verdict, reason, finished: false, advice };
}
