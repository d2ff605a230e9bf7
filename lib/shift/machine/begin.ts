import type { ShiftPlan } from '../shift-plan';
import { describeWeights } from '../texts';
import { sameWeights } from '../way';
import type { Weights } from '../weights';
import type { ShiftAnswer } from './answer';
import { read, stay, stepAttempts, waitToRetry } from './answer';
import { courseOf, nothingToDo, setOut } from './course';
import type { ShiftEvent, ShiftLive, ShiftStarted } from './events';
import { describeFound, fits } from './live-weights';
import { explainFailure, mayPass } from './router-failures';
import { recordBetween, resume } from './resume';
import { startLog } from './start-log';
import type { ShiftStarting, ShiftState } from './states';
import { end, liveOf, rollBack } from './transitions';

/** Starts, and reads the live weights for the first time. */
export function begun(
  plan: ShiftPlan,
  state: ShiftStarting | Extract<ShiftState, { phase: 'idle' }>,
  event: ShiftEvent,
): ShiftAnswer {
  if (state.phase === 'idle') {
    return event.type === 'started'
      ? read({ phase: 'starting', doing: 'read', start: event, attempt: 0 })
      : stay(state);
  }
  if (state.doing === 'wait') {
    return event.type === 'waited' ? read({ ...state, doing: 'read' }) : stay(state);
  }
  if (event.type === 'live') {
    return startFrom(plan, state.start, event);
  }
  if (event.type !== 'routerFailed') {
    return stay(state);
  }
  const attempt = state.attempt + 1;
  if (mayPass(event.failure) && attempt < stepAttempts) {
    return waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message);
  }
  const text = event.failure === 'notFound' ? event.message : explainFailure(event.failure, event.message);
  return abort(`${text}\nThis run wrote nothing.`, event.live ?? null, false);
}

function startFrom(plan: ShiftPlan, start: ShiftStarted, found: ShiftLive): ShiftAnswer {
  const { record } = start;
  const all = found.members?.map(({ weights }) => weights) ?? [found.weights];
  if (!all.every((weights) => fits(plan.slots, weights))) {
    return abort(
      `The live weights are not whole percents of this plan's slots: ${describeFound(found)}; ` +
        `the slots are ${plan.slots.join(', ')}.`,
      liveOf(found),
      false,
    );
  }
  if (!record) {
    return startAnew(plan, start, found);
  }
  if (![record.origin, record.written].every((weights) => fits(plan.slots, weights))) {
    return abort(
      'An unfinished shift was between other slots than this plan has: ' +
        `from ${describeWeights(record.origin)} to ${describeWeights(record.wanted)}. ` +
        'It is forgotten now; a new run starts from the live weights.',
      liveOf(found),
      true,
    );
  }
  return resume(plan, start, record, found);
}

/** Without a record: from the live weights, or on the way from the origin that the caller knows of. */
function startAnew(plan: ShiftPlan, start: ShiftStarted, found: ShiftLive): ShiftAnswer {
  const { at, members } = found;
  const known = start.origin && fits(plan.slots, start.origin) ? start.origin : undefined;
  if (members) {
    const record = known && recordBetween(plan, known, found);
    return record ? resume(plan, start, record, found) : apart(found);
  }
  const live = found.weights;
  const origin = known ?? live;
  const course = courseOf(plan, { origin, startedAt: at, live, possible: [live] }, at, start.resumedTo);
  if (start.rollBack !== undefined) {
    return rollBack(plan, course, origin, start.rollBack);
  }
  if (course.index < 0 && sameWeights(plan.slots, live, plan.wanted)) {
    return nothingToDo(plan, origin, live);
  }
  return setOut(plan, course, at, startLog(plan, course));
}

function apart(found: ShiftLive): ShiftAnswer {
  return abort(
    `What this shift moves together does not have the same weights, and no unfinished shift explains it: ${describeFound(found)}. ` +
      'Set them to the same weights first.',
    null,
    true,
  );
}

function abort(reason: string, live: Weights | null, finished: boolean): ShiftAnswer {
  return end({ verdict: 'aborted', reason, finished, advice: 'none' }, live, live);
}
