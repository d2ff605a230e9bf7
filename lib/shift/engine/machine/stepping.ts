import { formatWeights } from '../format';
import type { ShiftPlan } from '../plan';
import { furthestStep, placeOf, sameWeights } from '../steps';
import type { ShiftStep } from '../steps';
import { leastWeights } from '../weights';
import type { Weights } from '../weights';
import { failureIn, checkVerdict, noteUnsure } from './check-verdict';
import { endRefused, explainFailure, mayPassLater } from './ending';
import type { NamedResult, RouterFailed, ShiftEvent } from './events';
import { isLive, isOneOf, withPossible } from './live-weights';
import { answer, mostApprovals, read, recordOf, stay, stepAttempts, wait, waitToRetry } from './states';
import type {
  CheckPolling,
  ShiftContext,
  ShiftRecording,
  ShiftAnswer,
  ShiftPaused,
  ShiftPreparing,
  ShiftReading,
  ShiftObserving,
  ShiftWriting,
} from './states';
import {
  askBefore,
  close,
  complete,
  end,
  endForeign,
  fail,
  failLate,
  goOn,
  held,
  isLate,
  prepare,
  stand,
  standOn,
  untilDeadline,
} from './transitions';

/** The checks that come before a write have answered; or, while it waits for them, those that watch the live weights. */
export function prepared(plan: ShiftPlan, state: ShiftPreparing, event: ShiftEvent): ShiftAnswer {
  const { course, look, doing } = state;
  if (doing === 'wait') {
    if (event.type !== 'waited') {
      return stay(state);
    }
    return course.index < 0
      ? askBefore(course, look)
      : answer({ ...state, doing: 'after' }, { type: 'check', stage: 'after' });
  }
  if (event.type !== 'checked' || event.stage !== doing) {
    return stay(state);
  }
  if (doing === 'after') {
    const failure = failureIn(event.results);
    return failure ? fail(plan, course, failure) : askBefore(course, look);
  }
  const { at } = event;
  const results = event.results.map((result) => lettingGo(plan, course, result));
  const evaluation = checkVerdict(plan, look, results, at);
  if (evaluation.verdict === 'fail') {
    return fail(plan, course, evaluation);
  }
  if (isLate(course, at)) {
    return failLate(plan, course);
  }
  if (evaluation.verdict === 'pass') {
    return announce(plan, withinBounds(plan, course, evaluation.upTo), 0);
  }
  return wait(
    { ...state, doing: 'wait', look: evaluation.look },
    untilDeadline(course, at + plan.checkEveryMs),
    noteUnsure(plan, evaluation.look, event.results, at),
  );
}

/** A pass that lets slots get no more than they have lets nothing go. */
function lettingGo(plan: ShiftPlan, course: ShiftContext, result: NamedResult): NamedResult {
  const { upTo } = result;
  const least = upTo && stepWithin(plan, course, upTo);
  return least && exceeds(course, least.weights, upTo) ? { ...result, status: 'inconclusive' } : result;
}

/** The way with a step before the next one, where that is further than slots may go now. */
function withinBounds(plan: ShiftPlan, course: ShiftContext, bounds: CheckPolling['upTo']): ShiftContext {
  const { way, index } = course;
  const next = way[index + 1]!;
  const step = stepWithin(plan, course, leastWeights(Object.values(bounds ?? {})));
  return !step || sameWeights(plan.slots, step.weights, next.weights)
    ? course
    : { ...course, way: [...way.slice(0, index + 1), step, ...way.slice(index + 1)] };
}

/** The furthest step within these bounds; `undefined` where the next one is within them. */
function stepWithin(plan: ShiftPlan, course: ShiftContext, upTo: Weights): ShiftStep | undefined {
  const { origin, way, index, live } = course;
  const next = way[index + 1]!;
  if (!exceeds(course, next.weights, upTo)) {
    return undefined;
  }
  const gains = Object.entries(upTo).filter(([slot]) => (next.weights[slot] ?? 0) > (live[slot] ?? 0));
  const isOnWay = placeOf(live, origin, plan) !== undefined;
  return furthestStep(isOnWay ? origin : live, live, plan, Object.fromEntries(gains));
}

/** Whether a slot would get more than its bound. What a slot has, or loses, no bound takes away. */
function exceeds({ live }: ShiftContext, weights: Weights, upTo: Weights): boolean {
  return Object.entries(upTo).some(
    ([slot, bound]) => (weights[slot] ?? 0) > Math.max(bound, live[slot] ?? 0),
  );
}

/** The next step is on record. */
export function announced(plan: ShiftPlan, state: ShiftRecording, event: ShiftEvent): ShiftAnswer {
  const { course } = state;
  if (state.doing === 'wait') {
    return event.type === 'waited' ? announce(plan, course, state.attempt) : stay(state);
  }
  if (event.type === 'recorded') {
    return read({ phase: 'reading', doing: 'read', course, attempt: 0 });
  }
  if (event.type !== 'recordFailed') {
    return stay(state);
  }
  const attempt = state.attempt + 1;
  return attempt < stepAttempts
    ? waitToRetry({ ...state, doing: 'wait', attempt }, event.at, attempt, event.message)
    : fail(plan, course, { why: `The next step could not be put on record: ${event.message}` });
}

/** The live weights were read before a write. */
export function readBefore(plan: ShiftPlan, state: ShiftReading, event: ShiftEvent): ShiftAnswer {
  const { course, attempt } = state;
  if (state.doing === 'wait') {
    return event.type === 'waited' ? read({ ...state, doing: 'read' }) : stay(state);
  }
  if (event.type === 'routerFailed') {
    return tryAgain(state, event);
  }
  if (event.type !== 'live') {
    return stay(state);
  }
  if (!isOneOf(plan.slots, event, course.possible)) {
    return endForeign(course.possible, course.origin, event);
  }
  const { weights } = course.way[course.index + 1]!;
  if (isLive(plan.slots, event, weights)) {
    // A write before, whose fate was not known, was done after all.
    return reached(plan, course, event.at);
  }
  const possible = withPossible(plan.slots, course, weights);
  const writing = { phase: 'writing', course: { ...course, possible }, attempt } as const;
  return answer(writing, { type: 'write', weights, expected: possible, rollback: false });
}

/** The step was written, or was not. */
export function wrote(plan: ShiftPlan, state: ShiftWriting, event: ShiftEvent): ShiftAnswer {
  if (event.type === 'written') {
    return reached(plan, state.course, event.at);
  }
  if (event.type !== 'routerFailed') {
    return stay(state);
  }
  return event.failure === 'changed' ? endRefused(state.course, event) : tryAgain(state, event);
}

function announce(plan: ShiftPlan, course: ShiftContext, attempt: number): ShiftAnswer {
  const { weights } = course.way[course.index + 1]!;
  const record = recordOf(course, plan.wanted, weights);
  return answer({ phase: 'announcing', doing: 'record', course, attempt }, { type: 'record', record });
}

/** The weights of the next step are live, from now on. */
function reached(plan: ShiftPlan, course: ShiftContext, at: number): ShiftAnswer {
  const index = course.index + 1;
  const { percent: place, weights } = course.way[index]!;
  const log = `Step ${index + 1} of ${course.way.length} (${place} % of the way): ${formatWeights(weights)}.`;
  return stand(plan, { ...course, index, live: weights, possible: [weights] }, at, false, log);
}

/** What may pass is tried again, after another read of the live weights: a write may have been done all the same. */
function tryAgain(state: ShiftReading | ShiftWriting, event: RouterFailed): ShiftAnswer {
  const { course } = state;
  const attempt = state.attempt + 1;
  if (mayPassLater(event.failure) && attempt < stepAttempts) {
    const waiting = { phase: 'reading', doing: 'wait', course, attempt } as const;
    return waitToRetry(waiting, event.at, attempt, event.message);
  }
  const reason = explainFailure(event.failure, event.message);
  const how = { verdict: 'aborted', reason, finished: false, advice: 'runAgain' } as const;
  return state.phase === 'reading' || event.failure === 'notFound' || event.live
    ? end(how, course.origin, event.live ?? null)
    : close(course, how);
}

/**
 * Weights are live. Checks run all along: one that fails ends it at once, and when the time is over each must have
 * passed once.
 */
export function stood(plan: ShiftPlan, state: ShiftObserving, event: ShiftEvent): ShiftAnswer {
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
  const evaluation = checkVerdict(plan, look, event.results, at);
  switch (evaluation.verdict) {
    case 'fail':
      return fail(plan, course, evaluation);
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
            evaluation.look,
            noteUnsure(plan, evaluation.look, event.results, at),
          );
  }
}

/** A person lets it go on. */
function letGo(
  { heldBy: _, approvals = [], ...course }: ShiftContext,
  place: number,
  { at, by }: Extract<ShiftEvent, { type: 'resumed' }>,
): ShiftAnswer {
  const all = by === undefined ? approvals : [...approvals, { place, by, at }].slice(-mostApprovals);
  const next = { ...course, resumedTo: place, ...(all.length > 0 && { approvals: all }) };
  return prepare(
    next,
    at,
    `Goes on beyond ${place} % of the way${by === undefined ? '' : `: ${by} agrees`}.`,
  );
}

/** Waits for a person, and watches the live weights at the same time: a check that fails does not wait. */
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
    const failure = failureIn(event.results);
    return failure ? fail(plan, course, failure) : answer({ ...state, doing: 'ask' }, ask);
  }
  if (event.type === 'cannotResume') {
    const why =
      course.heldBy === undefined
        ? `Paused at ${place} % of the way, as the plan requires.`
        : `Held at ${place} % of the way by ${course.heldBy}.`;
    const end = held(plan, course, why, 'resume');
    return close(course, { ...end, pausedAt: place });
  }
  if (event.type !== 'resumed' && event.type !== 'notResumed') {
    return stay(state);
  }
  if (isLate(course, event.at)) {
    return failLate(plan, course);
  }
  return event.type === 'resumed'
    ? letGo(course, place, event)
    : wait({ ...state, doing: 'wait' }, untilDeadline(course, event.at + plan.checkEveryMs));
}
