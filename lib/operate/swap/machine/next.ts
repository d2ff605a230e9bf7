import { formatDuration } from '../../../core/durations';
import type { SwapPlan } from '../plan';
import { approved, ask, notAnswered, refused } from './approval';
import { actBack, notDeployedBack, notPassedBack, passedBack } from './back';
import type { SwapEvent } from './events';
import { act, begin, finish, notDeployed, notPassed, passed } from './forward';
import { decide } from './start';
import { abort, end, hold, look, record, stay } from './states';
import type { BegunState, SwapAnswer, SwapState } from './states';

/**
 * The machine of a swap: what to do after this event. It has no clock, does no I/O and knows no chance: a program, a test and a
 * simulation see the same swap.
 *
 * It is total: an event that a state does not wait for changes nothing, and the last action still applies.
 */
export function nextSwap(plan: SwapPlan, state: SwapState, event: SwapEvent): SwapAnswer {
  const { doing } = state;
  if (doing === 'ended') {
    return stay(state);
  }
  if (event.type === 'interrupted') {
    return interrupted(state);
  }
  switch (doing) {
    case 'starting':
      return event.type === 'started' ? started(event) : stay(state);
    case 'looking':
      return looked(plan, state, event);
    case 'recording':
      return recorded(plan, state, event);
    case 'waiting':
      return event.type === 'waited' ? waited(plan, state, event.at) : stay(state);
    case 'deploying':
      return hasBegun(state) ? deployed(plan, state, event) : stay(state);
    case 'running':
      return hasBegun(state) ? ran(plan, state, event) : stay(state);
    case 'asking':
      return hasBegun(state) ? answered(plan, state, event) : stay(state);
  }
}

function hasBegun(state: SwapState): state is BegunState {
  return state.record !== undefined && state.start !== undefined;
}

function started({ at: _, ...start }: Extract<SwapEvent, { type: 'started' }>): SwapAnswer {
  return look({ doing: 'looking', start, ...(start.record && { record: start.record }) });
}

function interrupted(state: SwapState): SwapAnswer {
  const { record } = state;
  if (!record || record.ended) {
    return hold(state, 'It was interrupted, and no swap is open.');
  }
  const where = record.back ? `on its way back from ${record.phase}` : `at ${record.phase}`;
  return hold(state, `It was interrupted ${where}. Run it again: it goes on there.`);
}

function looked(plan: SwapPlan, state: SwapState, event: SwapEvent): SwapAnswer {
  const { start } = state;
  if (event.type === 'notSeen') {
    return end(state, {
      verdict: 'aborted',
      ...(state.seen === undefined && { isUnread: true }),
      reason: event.reason,
    });
  }
  return event.type === 'seen' && start
    ? decide(plan, { ...state, start, seen: event.seen }, event.at, state.seen === undefined)
    : stay(state);
}

function recorded(plan: SwapPlan, state: SwapState, event: SwapEvent): SwapAnswer {
  if (event.type === 'notRecorded') {
    return abort(state, `The record could not be written: ${event.reason}\nNothing more was changed.`);
  }
  if (event.type === 'notWithdrawn') {
    const again = 'Its pull request may be open: close it, so that no one merges it later, and run it again.';
    return hold(state, `${event.reason}\n${again}`);
  }
  return event.type === 'recorded' ? goOn(plan, state) : stay(state);
}

/** A wait that ends so much later has not waited alone: the machine was asleep, or its clock has jumped. In milliseconds. */
const sleepMs = 10_000;

/** The time that a machine slept does not count for a phase, nor for the length of a soak: nothing was asked meanwhile. */
function waited(plan: SwapPlan, { due, ...state }: SwapState, at: number): SwapAnswer {
  const late = at - (due ?? at);
  if (late <= sleepMs || state.since === undefined || !hasBegun(state)) {
    return goOn(plan, state);
  }
  const awake = { ...state, since: state.since + late };
  const { back, phase, phaseStartedAt } = state.record;
  const { leastMs = 0, everyMs = 0 } = plan.phases[phase];
  return !back && everyMs < leastMs && phaseStartedAt !== undefined
    ? record(
        awake,
        { ...state.record, phaseStartedAt: phaseStartedAt + late },
        state.then,
        `This machine slept for ${formatDuration(Math.round(late / 1000) * 1000)}: ${phase} takes so much longer.`,
      )
    : goOn(plan, awake);
}

/** What was to be done after a record or a wait. */
function goOn(plan: SwapPlan, state: SwapState): SwapAnswer {
  const { then, ...rest } = state;
  if (!then || !hasBegun(rest)) {
    return stay(state);
  }
  switch (then.do) {
    case 'look':
      return look(rest);
    case 'end':
      return end(rest, then.end);
    case 'act':
      return rest.record.back ? actBack(plan, rest) : act(plan, rest);
    case 'ask': {
      const { approval } = plan.phases[rest.record.phase];
      return approval ? ask(rest, approval) : look(rest);
    }
  }
}

function deployed(plan: SwapPlan, state: BegunState, event: SwapEvent): SwapAnswer {
  const isBack = state.record.back !== undefined;
  if (event.type === 'deployed') {
    return isBack ? passedBack(state, event.at) : finish(plan, state, event.at, 'passed');
  }
  if (event.type === 'notDeployed') {
    return isBack ? notDeployedBack(state, event) : notDeployed(plan, state, event.at, event);
  }
  return stay(state);
}

function ran(plan: SwapPlan, state: BegunState, event: SwapEvent): SwapAnswer {
  const isBack = state.record.back !== undefined;
  if (event.type === 'passed') {
    return isBack ? passedBack(state, event.at) : passed(plan, state, event.at);
  }
  if (event.type === 'notPassed') {
    return isBack ? notPassedBack(plan, state, event.at, event) : notPassed(plan, state, event.at, event);
  }
  return stay(state);
}

function answered(plan: SwapPlan, asking: BegunState, event: SwapEvent): SwapAnswer {
  const { isConfirming, ...state } = asking;
  const { approval } = plan.phases[state.record.phase];
  if (event.type === 'refused') {
    return refused(plan, state, event.at, event.refusedBy);
  }
  const still = event.type === 'approved' || (event.type === 'notAnswered' && !event.isUnread);
  if (isConfirming && still && state.seen) {
    return begin(state, state.seen, event.at);
  }
  if (event.type === 'approved') {
    return approved(state, event.approvedBy);
  }
  return event.type === 'notAnswered' && approval ? notAnswered(plan, state, approval, event) : stay(asking);
}
