import { formatWeights } from '../format';
import type { ShiftPlan } from '../plan';
import type { RouterFailure } from '../router';
import type { RouterFailed, ShiftEvent, ShiftLive } from './events';
import { isLive, isOneOf, withPossible } from './live-weights';
import { answer, read, rollbackAttempts, stay, stepAttempts, waitToRetry } from './states';
import type {
  ShiftContext,
  ShiftEnd,
  ShiftAnswer,
  ShiftEnding,
  ShiftRollingBack,
  ShiftState,
} from './states';
import { close, end, endForeign, held, liveOf, noteApart, rollBack } from './transitions';

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
      const reason = `Stopped before the rollback to ${formatWeights(state.target)} was confirmed.\n${state.why}`;
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
      return close(state.course, early('aborted', `The lease was lost. ${message}`, 'none'));
  }
}

function early(
  verdict: ShiftEnd['verdict'],
  reason: string,
  advice: ShiftEnd['advice'] = 'runAgain',
): ShiftEnd {
  return { verdict, reason, finished: false, advice };
}

/** Whether another try may help; whether a write was done is not known then. */
export function mayPassLater(failure: RouterFailure): boolean {
  return failure === 'throttled' || failure === 'unreachable';
}

/** What a failure means for a shift that was under way. */
export function explainFailure(failure: RouterFailure, message: string): string {
  switch (failure) {
    case 'throttled':
      return `The router was throttled again and again: ${message}`;
    case 'unreachable':
      return `The router did not answer: ${message}`;
    case 'denied':
      return `The router refuses: ${message}`;
    case 'notFound':
      return `What holds the weights vanished during the shift: ${message} It was deleted; nothing was written.`;
    case 'changed':
      return `Another process changed the weights: ${message}.`;
    case 'unfit':
      return `What holds the weights is not what this shift can work on: ${message}`;
  }
}

/** The router read right before it was to write, found weights of another process, and left them. */
export function endRefused(course: ShiftContext, event: RouterFailed, before = ''): ShiftAnswer {
  const { at, live, failure, message } = event;
  if (live) {
    return endForeign(course.possible, course.origin, { type: 'live', at, weights: live }, before);
  }
  // It was one of several, and another look says what the others have.
  const reason = `${before}${explainFailure(failure, message)}`;
  return close(course, { verdict: 'aborted', reason, finished: true, advice: 'none' });
}

/**
 * Rolls back: puts it on record, reads the live weights, writes once and reads until it holds. What may pass is tried
 * again for long; the record is not worth waiting for.
 */
export function returned(plan: ShiftPlan, state: ShiftRollingBack, event: ShiftEvent): ShiftAnswer {
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

function found(plan: ShiftPlan, state: ShiftRollingBack, live: ShiftLive): ShiftAnswer {
  const { course, target, why } = state;
  if (isLive(plan.slots, live, target)) {
    return isBack(state);
  }
  if (!isOneOf(plan.slots, live, course.possible)) {
    return endForeign(course.possible, course.origin, live, `${why}\n`);
  }
  if (state.doing === 'confirm') {
    const attempt = state.attempt + 1;
    const text = `The rollback does not show yet: ${formatWeights(live.weights)} is live.`;
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

function isBack({ course, target, why, isWanted }: ShiftRollingBack): ShiftAnswer {
  const verdict = isWanted ? 'completed' : 'rolledBack';
  const reason = `${why}\nThe traffic is back at ${formatWeights(target)}.`;
  return end({ verdict, reason, finished: true, advice: 'none' }, course.origin, target);
}

function tryAgain(state: ShiftRollingBack, event: RouterFailed): ShiftAnswer {
  const attempt = state.attempt + 1;
  return mayPassLater(event.failure) && attempt < rollbackAttempts
    ? waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message)
    : giveUp(state, explainFailure(event.failure, event.message), event.live ?? null);
}

/** The one end that needs a person at once. */
function giveUp(
  state: ShiftRollingBack,
  problem: string,
  live: ShiftRollingBack['target'] | null,
): ShiftAnswer {
  const { course, target, why, doing } = state;
  const reason = `THE TRAFFIC IS NOT BACK at ${formatWeights(target)}: ${problem}\n${why}`;
  const how = { verdict: 'aborted', reason, finished: false, advice: 'finishRollback' } as const;
  return live === null && doing === 'write' ? close(course, how) : end(how, course.origin, live);
}

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
  if (mayPassLater(event.failure) && attempt < (restsOnIt ? stepAttempts : attemptsWithout)) {
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
