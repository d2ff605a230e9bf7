import { formatDuration } from '../../../core/durations';
import { versionOf } from '../configuration';
import type { FleetConfiguration } from '../configuration';
import { deployingPhases, isAmong, optionalPhases, phaseAfter, windowPhases } from '../phases';
import type { SwapPhase } from '../phases';
import type { SwapPlan } from '../plan';
import type { SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import { nextOpening } from '../windows';
import { ask, firstAsk } from './approval';
import { failed } from './back';
import { withoutSlot, withSlot, withTrafficOn } from './configurations';
import { nextSetting } from './legs';
import { hasAll } from './sight';
import { abort, answer, hold, record, wait } from './states';
import type { BegunState, SwapAnswer, SwapState } from './states';

/** How long it waits before a phase that has not passed is asked again. */
export const retryMs = 15_000;

/** How often a soak is asked, where the plan says nothing: checks look at minutes of metrics. */
const soakEveryMs = 300_000;

/** Enters the phase of the record: in its window, once a person has agreed, from its begin. */
export function enter(plan: SwapPlan, state: BegunState, seen: SwapSeen, at: number): SwapAnswer {
  const { phase, phaseStartedAt, askedAt, approvedBy } = state.record;
  const { skip, approval } = plan.phases[phase];
  if (skip && isAmong(optionalPhases, phase)) {
    return finish(plan, state, at, 'skipped');
  }
  if (phaseStartedAt !== undefined) {
    return act(plan, { ...state, since: at }, `Goes on with ${phase}.`);
  }
  const isAsking = askedAt !== undefined && approvedBy === undefined;
  const opening = isAsking ? at : openingFor(plan, phase, at);
  if (opening === undefined) {
    return hold(state, `None of the windows ever opens. ${phase} has not begun.`);
  }
  if (opening > at) {
    const when = new Date(opening).toISOString();
    return wait({ ...state, isAsked: false }, opening, 'window', {
      then: { do: 'look' },
      log: `${phase} waits for a window, which opens at ${when}.`,
      held: `${phase} may begin in a window; the next one opens at ${when}.`,
    });
  }
  if (!approval) {
    return begin(state, seen, at);
  }
  // Who agreed before a wait, or a look, may have refused since.
  return approvedBy !== undefined && state.isAsked === true
    ? ask({ ...state, isConfirming: true }, approval)
    : firstAsk(state, approval, at);
}

function openingFor({ windows }: SwapPlan, phase: SwapPhase, at: number): number | undefined {
  return windows && windows.length > 0 && isAmong(windowPhases, phase) ? nextOpening(windows, at) : at;
}

/** Records that a phase begins, and what it is about to write. */
export function begin(state: BegunState, seen: SwapSeen, at: number): SwapAnswer {
  const { askedAt: _, ...kept } = state.record;
  if (
    kept.phase === 'delete' &&
    !kept.done.some(({ phase, verdict }) => phase === 'drain' && verdict === 'passed')
  ) {
    return abort(state, `${kept.old.name} has not been drained: it is not deleted.`);
  }
  const written = wantedConfiguration(kept, seen.configuration);
  const writes = written && { written, before: seen.configuration };
  const next = { ...kept, phaseStartedAt: at, ...writes };
  return record({ ...state, since: at, isAsked: false }, next, { do: 'act' }, beginning(kept));
}

/** What a phase that deploys makes of the configuration. */
function wantedConfiguration(
  { phase, old, new: fresh, setting }: SwapRecord,
  configuration: FleetConfiguration,
): FleetConfiguration | undefined {
  switch (phase) {
    case 'create':
      return withSlot(configuration, fresh.name, setting);
    case 'shift':
      return withTrafficOn(configuration, fresh.name);
    case 'delete':
      return withoutSlot(configuration, old.name);
    case 'ready':
    case 'deliver':
    case 'try':
    case 'prescale':
    case 'soak':
    case 'drain':
      return undefined;
  }
}

function beginning({ phase, old, new: fresh, before }: SwapRecord): string {
  const newSlot = `${fresh.name} (${fresh.version})`;
  const oldSlot = `${old.name} (${old.version})`;
  const isHub = before.active !== undefined;
  const texts: Readonly<Record<SwapPhase, string>> = {
    ready: `ready: would Kubernetes ${fresh.version} work?`,
    create: `create: adds the slot ${newSlot}${isHub ? ' as a standby' : ' without traffic'}.`,
    deliver: `deliver: waits until every application is on ${newSlot}.`,
    try: `try: checks ${newSlot} before ${isHub ? 'the handover' : 'it gets traffic'}.`,
    prescale: `prescale: waits until ${newSlot} can take the first steps.`,
    shift: `shift: ${isHub ? 'hands over' : 'moves the traffic'} from ${oldSlot} to ${newSlot}.`,
    soak: `soak: ${newSlot} ${hasAll(before)}; ${oldSlot} stays as the way back.`,
    drain: `drain: what controllers of ${oldSlot} made in AWS goes.`,
    delete: `delete: ${oldSlot} goes. There is no way back from here.`,
  };
  return texts[phase];
}

/** Does what the phase of the record asks. */
export function act(plan: SwapPlan, state: BegunState, log?: string): SwapAnswer {
  const { phase, old, new: fresh, written, before } = state.record;
  const until = state.since! + plan.phases[phase].timeoutMs;
  if (isAmong(deployingPhases, phase)) {
    const action = {
      type: 'deploy',
      phase,
      configuration: written ?? before,
      expected: written ? [written, before] : [before],
      old,
      new: fresh,
      back: false,
      until,
    } as const;
    return answer({ ...state, doing: 'deploying' }, action, log);
  }
  const [slot, other] = phase === 'drain' ? [old, fresh] : [fresh, old];
  const action = { type: 'run', phase, slot, other, back: false, until } as const;
  return answer({ ...state, doing: 'running' }, action, log);
}

/** A phase has passed; that of a soak has to hold. */
export function passed(plan: SwapPlan, state: BegunState, at: number): SwapAnswer {
  const { phase, phaseStartedAt = at } = state.record;
  const { leastMs = 0, everyMs = soakEveryMs } = plan.phases[phase];
  if (leastMs > 0 && at < phaseStartedAt) {
    // The clock that it began by was ahead: by this one it would go on for as long as that.
    return record({ ...state, since: at }, { ...state.record, phaseStartedAt: at }, { do: 'act' });
  }
  const least = phaseStartedAt + leastMs;
  // A clock that is set back keeps no other phase from its end.
  if (leastMs === 0 || at >= least) {
    return finish(plan, state, at, 'passed');
  }
  const until = Math.min(at + everyMs, least);
  const left = formatDuration(Math.ceil((least - at) / 1000) * 1000);
  return wait({ ...state, since: until }, until, 'soak', {
    then: { do: 'act' },
    held: `${phase} goes on for ${left}. ${state.record.new.name} ${hasAll(state.record.before)}.`,
  });
}

/** A phase has not passed: it is asked again until its time is over. */
export function notPassed(
  plan: SwapPlan,
  state: BegunState,
  at: number,
  { reason, final }: { readonly reason: string; readonly final: boolean },
): SwapAnswer {
  const { phase } = state.record;
  const { timeoutMs } = plan.phases[phase];
  if (final || at + retryMs > state.since! + timeoutMs) {
    const late = final ? '' : ` within ${formatDuration(timeoutMs)}`;
    return failed(plan, state, at, `${phase} has not passed${late}: ${reason}`);
  }
  return wait(state, at + retryMs, 'retry', { then: { do: 'act' }, log: `${phase}: ${reason}`, held: '' });
}

export function notDeployed(
  plan: SwapPlan,
  state: BegunState,
  at: number,
  { reason, changed }: { readonly reason: string; readonly changed: boolean },
): SwapAnswer {
  const { phase } = state.record;
  return changed
    ? abort(state, `${phase} was not deployed: ${reason}`)
    : failed(plan, state, at, `${phase} could not be deployed: ${reason}`);
}

/** A phase has ended well, or is left out: to the next one. */
export function finish(
  plan: SwapPlan,
  state: BegunState,
  at: number,
  verdict: 'passed' | 'skipped',
): SwapAnswer {
  const { phaseStartedAt = at, askedAt: _, approvedBy, ...kept } = state.record;
  const { phase } = kept;
  const approved = approvedBy === undefined ? {} : { approvedBy };
  const done = [...kept.done, { phase, startedAt: phaseStartedAt, endedAt: at, verdict, ...approved }];
  const { since: _since, ...next } = state;
  const following = phaseAfter(phase);
  if (following) {
    const text = `${phase} has ${verdict === 'passed' ? 'passed' : 'been left out'}.`;
    return record(next, { ...kept, phase: following, done }, { do: 'look' }, text);
  }
  return complete(plan, next, { ...kept, done, ended: { at, verdict: 'completed' } });
}

/** The old slot is gone: to the next version on the way, or to the end. */
function complete(plan: SwapPlan, state: SwapState, ended: SwapRecord): SwapAnswer {
  const { old, new: fresh, before } = ended;
  const text = `${fresh.name} (${fresh.version}) ${hasAll(before)}, and ${old.name} (${old.version}) is gone.`;
  const next = { ...state, legs: (state.legs ?? 0) + 1 };
  const setting = nextSetting(plan, fresh.version);
  return setting === undefined
    ? record(next, ended, { do: 'end', end: { verdict: 'completed', reason: text } })
    : record(next, ended, { do: 'look' }, `${text} Next is ${versionOf(setting)}.`);
}
