import type { ShiftPlan } from '../shift-plan';
import { describeWeights } from '../texts';
import { sameWeights } from '../way';
import type { ShiftAnswer } from './answer';
import { answer, read, rollbackAttempts, stay, waitToRetry } from './answer';
import type { RouterFailed, ShiftEvent, ShiftLive } from './events';
import { isLive, isOneOf, withPossible } from './live-weights';
import { endRefused } from './refused-write';
import { explainFailure, mayPass } from './router-failures';
import type { ShiftReturning } from './states';
import { close, end, endForeign } from './transitions';

/**
 * Rolls back: puts it on record, looks at the live weights, writes once and reads until it holds. What may pass is tried
 * again for long; the record is not worth waiting for.
 */
export function returned(plan: ShiftPlan, state: ShiftReturning, event: ShiftEvent): ShiftAnswer {
  switch (state.doing) {
    case 'record':
      return event.type === 'recorded' || event.type === 'recordFailed'
        ? read({ ...state, doing: 'read' }, event.type === 'recordFailed' ? event.message : undefined)
        : stay(state);
    case 'wait':
      return event.type === 'waited' ? read({ ...state, doing: 'read' }) : stay(state);
    case 'write':
      if (event.type === 'written') {
        return read({ ...state, doing: 'confirm' });
      }
      if (event.type !== 'routerFailed') {
        return stay(state);
      }
      return event.failure === 'changed'
        ? endRefused(state.course, event, `${state.why}\n`)
        : tryAgain(state, event);
    case 'read':
    case 'confirm':
      if (event.type === 'live') {
        return found(plan, state, event);
      }
      return event.type === 'routerFailed' ? tryAgain(state, event) : stay(state);
  }
}

function found(plan: ShiftPlan, state: ShiftReturning, live: ShiftLive): ShiftAnswer {
  const { course, target, why } = state;
  if (isLive(plan.slots, live, target)) {
    return isBack(plan, state);
  }
  if (!isOneOf(plan.slots, live, course.possible)) {
    return endForeign(course.possible, course.origin, live, `${why}\n`);
  }
  if (state.doing === 'confirm') {
    const attempt = state.attempt + 1;
    const text = `The rollback does not show yet: ${describeWeights(live.weights)} is live.`;
    return attempt < rollbackAttempts
      ? waitToRetry({ ...state, doing: 'wait', attempt }, live.at, attempt, text)
      : giveUp(state, text, live.weights);
  }
  const possible = withPossible(plan.slots, course, target);
  return answer(
    { ...state, doing: 'write', course: { ...course, possible } },
    { type: 'write', weights: target, expected: possible, rollback: true },
  );
}

/** The traffic is back. A run that finishes the rollback of another one may have wanted just these weights. */
function isBack(plan: ShiftPlan, { course, target, why, isInherited }: ShiftReturning): ShiftAnswer {
  const isWanted = isInherited && sameWeights(plan.slots, target, plan.wanted);
  const verdict = isWanted ? 'completed' : 'rolledBack';
  const reason = `${why}\nThe traffic is back at ${describeWeights(target)}.`;
  return end({ verdict, reason, finished: true, advice: 'none' }, course.origin, target);
}

function tryAgain(state: ShiftReturning, event: RouterFailed): ShiftAnswer {
  const attempt = state.attempt + 1;
  return mayPass(event.failure) && attempt < rollbackAttempts
    ? waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message)
    : giveUp(state, explainFailure(event.failure, event.message), event.live ?? null);
}

/** The one end that needs a person at once. */
function giveUp(state: ShiftReturning, problem: string, live: ShiftReturning['target'] | null): ShiftAnswer {
  const { course, target, why, doing } = state;
  const reason = `THE TRAFFIC IS NOT BACK at ${describeWeights(target)}: ${problem}\n${why}`;
  const how = { verdict: 'aborted', reason, finished: false, advice: 'finishRollback' } as const;
  return live === null && doing === 'write' ? close(course, how) : end(how, course.origin, live);
}
