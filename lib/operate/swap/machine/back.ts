import { formatDuration } from '../../../core/durations';
import { sameConfiguration } from '../configuration';
import type { FleetConfiguration } from '../configuration';
import { isAmong } from '../phases';
import type { SwapPhase } from '../phases';
import type { SwapPlan } from '../plan';
import type { BackStep, DonePhase, SwapBack, SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import { withoutSlot, withTrafficOn } from './configurations';
import { hasAll, serves, takesAll } from './sight';
import { abort, answer, hold, record, wait } from './states';
import type { BegunState, SwapAnswer } from './states';

/** How long it waits before a step that has not passed is asked again. */
const retryMs = 15_000;

/** A phase has failed: what it began is undone while the old cluster is as it was; from `drain` on, the next run goes on. */
export function failed(plan: SwapPlan, state: BegunState, at: number, reason: string): SwapAnswer {
  const { phase } = state.record;
  return isAmong(['drain', 'delete'], phase)
    ? hold(
        state,
        `${reason}\n${state.record.new.name} ${hasAll(state.record.before)}. Run it again: it goes on there.`,
      )
    : turnBack(plan, state, at, reason, 'failed');
}

/** Whether the old cluster may have been emptied already: by `drain`, or by hand before the swap was taken over. */
function mayBeDrained({ phase, phaseStartedAt, adopted }: SwapRecord): boolean {
  return (
    phase === 'delete' ||
    (phase === 'drain' && phaseStartedAt !== undefined) ||
    adopted?.mayBeDrained === true
  );
}

/** Whether the old cluster may be gone already: there is no way back. */
export function deleteHasBegun({ phase, phaseStartedAt, back }: SwapRecord): boolean {
  return !back && phase === 'delete' && phaseStartedAt !== undefined;
}

/** Records that it goes back, and why. */
export function turnBack(
  plan: SwapPlan,
  state: BegunState,
  at: number,
  why: string,
  verdict?: 'failed',
  then: SwapBack['then'] = plan.phases[state.record.phase].onFailure,
): SwapAnswer {
  const { askedAt: _, approvedBy: _by, ...kept } = state.record;
  const { phase, phaseStartedAt = at } = kept;
  const failure: DonePhase = {
    phase,
    startedAt: phaseStartedAt,
    endedAt: at,
    verdict: 'failed',
    reason: short(why),
  };
  const next: SwapRecord = {
    ...kept,
    done: verdict ? [...kept.done, failure] : kept.done,
    back: { why: short(why), then, step: mayBeDrained(kept) ? 'allow' : 'shift' },
  };
  const { since: _since, ...rest } = state;
  return record(rest, next, { do: 'look' }, `${why}\nGoes back to ${kept.old.name} (${kept.old.version}).`);
}

/** A reason as a record keeps it. */
function short(reason: string): string {
  return reason.length <= 500 ? reason : `${reason.slice(0, 497)}...`;
}

/** Does the next step of the way back, or ends. */
export function enterBack(plan: SwapPlan, state: BegunState, seen: SwapSeen, at: number): SwapAnswer {
  const { back, old, new: fresh } = state.record;
  const { step, stepStartedAt, then } = back!;
  const { configuration, clusters } = seen;
  const isKnown = fresh.name in configuration.slots || fresh.name in clusters;
  const hasBegun = stepStartedAt !== undefined;
  switch (step) {
    case 'allow':
    case 'deliver':
      return begin(plan, state, at);
    case 'restore':
      return deploy(state, configuration, configuration, at);
    case 'prescale':
      return plan.phases.prescale.skip ? nextStep(state, at) : begin(plan, state, at);
    case 'shift': {
      const home = withTrafficOn(configuration, old.name);
      const isHome = sameConfiguration(home, configuration) && takesAll(seen, old.name);
      return isHome && !hasBegun ? nextStep(state, at) : deploy(state, configuration, home, at);
    }
    case 'drain':
      if (then === 'keep') {
        return finishBack(state, at, isKnown);
      }
      // A cluster that never served has no controllers, and can't be asked.
      return serves(clusters[fresh.name]) ? begin(plan, state, at) : nextStep(state, at);
    case 'delete':
      return isKnown || hasBegun
        ? deploy(state, configuration, withoutSlot(configuration, fresh.name), at)
        : finishBack(state, at, false);
  }
}

function begin(plan: SwapPlan, state: BegunState, at: number): SwapAnswer {
  const { back } = state.record;
  const next = { ...state, since: at };
  if (back!.stepStartedAt !== undefined) {
    return actBack(plan, next);
  }
  const begun = { ...state.record, back: { ...back!, stepStartedAt: at } };
  return record(next, begun, { do: 'act' }, `The way back: ${stepText(begun)}.`);
}

/** Records what it is about to write: a run before may have written, or not. */
function deploy(
  state: BegunState,
  before: FleetConfiguration,
  written: FleetConfiguration,
  at: number,
): SwapAnswer {
  const { back } = state.record;
  const begun: SwapRecord = {
    ...state.record,
    before,
    written,
    back: { ...back!, stepStartedAt: back!.stepStartedAt ?? at },
  };
  return record({ ...state, since: at }, begun, { do: 'act' }, `The way back: ${stepText(begun)}.`);
}

function stepText({ back, old, new: fresh, before }: SwapRecord): string {
  const texts: Readonly<Record<BackStep, string>> = {
    allow: `Argo CD may deploy to ${old.name} again`,
    restore: `the program makes again what drain deleted in ${old.name}`,
    deliver: `waits until every application is on ${old.name}`,
    prescale: `waits until ${old.name} can take the first steps`,
    shift: `${old.name} ${before.active === undefined ? 'gets all traffic' : 'becomes the active hub'}`,
    drain: `what controllers of ${fresh.name} made in AWS goes`,
    delete: `${fresh.name} goes`,
  };
  return texts[back!.step];
}

const phaseOf: Readonly<Record<BackStep, SwapPhase>> = {
  allow: 'drain',
  restore: 'drain',
  deliver: 'deliver',
  prescale: 'prescale',
  shift: 'shift',
  drain: 'drain',
  delete: 'delete',
};

const after: Readonly<Record<BackStep, BackStep | undefined>> = {
  allow: 'restore',
  restore: 'deliver',
  deliver: 'prescale',
  prescale: 'shift',
  shift: 'drain',
  drain: 'delete',
  delete: undefined,
};

/** A short time-out of `shift` is one for the way forward: a deployment that returns traffic must not be cut off by it. */
const trafficBackMs = 30 * 60_000;

/** How long a step may take, in milliseconds. */
function timeoutOf({ phases }: SwapPlan, step: BackStep): number {
  const { timeoutMs } = phases[phaseOf[step]];
  return step === 'shift' ? Math.max(timeoutMs, trafficBackMs) : timeoutMs;
}

/** Does the step that the record says. */
export function actBack(plan: SwapPlan, state: BegunState): SwapAnswer {
  const { back, old, new: fresh, written, before } = state.record;
  const { step } = back!;
  const phase = phaseOf[step];
  const until = state.since! + timeoutOf(plan, step);
  if (step === 'restore' || step === 'shift' || step === 'delete') {
    const expected = [written!, before];
    const action = {
      type: 'deploy',
      phase,
      configuration: written!,
      expected,
      old,
      new: fresh,
      back: true,
      ...(step === 'restore' && { restore: { fleet: plan.fleet, slot: old.name } }),
      until,
    } as const;
    return answer({ ...state, doing: 'deploying' }, action);
  }
  // The new cluster is drained as any other: `back` lets Argo CD deploy to the old one.
  const [slot, other] = step === 'drain' ? [fresh, old] : [old, fresh];
  const action = { type: 'run', phase, slot, other, back: step !== 'drain', until } as const;
  return answer({ ...state, doing: 'running' }, action);
}

/** A step has ended well. */
export function passedBack(state: BegunState, at: number): SwapAnswer {
  return nextStep(state, at);
}

function nextStep(state: BegunState, at: number): SwapAnswer {
  const { back, done } = state.record;
  const { stepStartedAt, step, ...kept } = back!;
  const verdict = step === 'drain' || step === 'delete' ? 'passed' : 'undone';
  const ended: readonly DonePhase[] =
    stepStartedAt === undefined
      ? []
      : [{ phase: phaseOf[step], startedAt: stepStartedAt, endedAt: at, verdict }];
  const next = after[step];
  const { since: _, ...rest } = state;
  const following = { ...state.record, done: [...done, ...ended] };
  return next
    ? record(rest, { ...following, back: { ...kept, step: next } })
    : finishBack({ ...rest, record: following, start: state.start }, at, false);
}

export function notPassedBack(
  plan: SwapPlan,
  state: BegunState,
  at: number,
  { reason, final }: { readonly reason: string; readonly final: boolean },
): SwapAnswer {
  const { back } = state.record;
  const timeoutMs = timeoutOf(plan, back!.step);
  const what = `The way back (${stepText(state.record)}) has not passed`;
  if (final || at + retryMs > state.since! + timeoutMs) {
    const late = final ? '' : ` within ${formatDuration(timeoutMs)}`;
    return hold(state, `${what}${late}: ${reason}\nRun it again: it goes on there.`);
  }
  return wait(state, at + retryMs, 'retry', { then: { do: 'act' }, log: `${what}: ${reason}`, held: '' });
}

export function notDeployedBack(
  state: BegunState,
  { reason, changed }: { readonly reason: string; readonly changed: boolean },
): SwapAnswer {
  const what = `The way back (${stepText(state.record)}) was not deployed: ${reason}`;
  return changed ? abort(state, what) : hold(state, `${what}\nRun it again: it goes on there.`);
}

/** Records the end: all traffic is on the old cluster. */
function finishBack(state: BegunState, at: number, isKept: boolean): SwapAnswer {
  const { old, new: fresh, back, before } = state.record;
  const kept = isKept
    ? `${fresh.name} stays for a look; swap --back --delete takes it away.`
    : `There is no other cluster.`;
  const reason = `${back!.why}\n${old.name} (${old.version}) ${hasAll(before)}. ${kept}`;
  const ended = { ...state.record, ended: { at, verdict: 'rolledBack' } } as const;
  return record(state, ended, { do: 'end', end: { verdict: 'rolledBack', reason } });
}
