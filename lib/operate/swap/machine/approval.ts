import { formatDuration } from '../../../core/durations';
import type { PhaseApproval, SwapPlan } from '../plan';
import { turnBack } from './back';
import { answer, look, record, wait } from './states';
import type { BegunState, SwapAnswer } from './states';

/** How long it waits before it asks a person again. */
const askAgainMs = 10_000;

/** Records when it began to wait for a person, then asks; a run that goes on asks on. */
export function firstAsk(state: BegunState, approval: PhaseApproval, at: number): SwapAnswer {
  const { phase, askedAt } = state.record;
  if (askedAt !== undefined) {
    return ask(state, approval);
  }
  const log = `${phase} waits until a person agrees, ${formatDuration(approval.timeoutMs)} at most.`;
  return record(state, { ...state.record, askedAt: at }, { do: 'ask' }, log);
}

/** Asks whether a person has agreed. */
export function ask(state: BegunState, { timeoutMs }: PhaseApproval): SwapAnswer {
  const { phase, askedAt } = state.record;
  return answer({ ...state, doing: 'asking' }, { type: 'ask', phase, until: askedAt! + timeoutMs });
}

/** A person agrees. Windows are looked at again: it may be night by now. */
export function approved(state: BegunState, approvedBy: string): SwapAnswer {
  const { phase } = state.record;
  const log = `${approvedBy} agrees to ${phase}.`;
  return record({ ...state, isAsked: true }, { ...state.record, approvedBy }, { do: 'look' }, log);
}

/** A person does not agree: it goes back. */
export function refused(plan: SwapPlan, state: BegunState, at: number, refusedBy: string): SwapAnswer {
  return turnBack(plan, state, at, `${refusedBy} refuses ${state.record.phase}.`);
}

/** No one has answered yet. It does not go on where an answer could not be read: a person may have refused. */
export function notAnswered(
  plan: SwapPlan,
  state: BegunState,
  { timeoutMs, onTimeout }: PhaseApproval,
  { at, isUnread = false }: { readonly at: number; readonly isUnread?: boolean },
): SwapAnswer {
  const { askedAt, ...kept } = state.record;
  const { phase, approvedBy: agreed } = kept;
  if (agreed !== undefined && !isUnread) {
    return look({ ...state, isAsked: true });
  }
  const due = askedAt! + timeoutMs;
  const isLate = at >= due;
  if (!isLate || (isUnread && (onTimeout === 'goOn' || agreed !== undefined))) {
    return wait(state, isLate ? at + askAgainMs : Math.min(at + askAgainMs, due), 'approval', {
      then: { do: 'ask' },
      held: `${phase} waits until a person agrees.`,
    });
  }
  const nobody = `Nobody has agreed to ${phase} within ${formatDuration(timeoutMs)}`;
  switch (onTimeout) {
    case 'goOn': {
      const approvedBy = `nobody within ${formatDuration(timeoutMs)}`;
      const log = `${nobody}: it goes on, as the plan says.`;
      return record({ ...state, isAsked: true }, { ...state.record, approvedBy }, { do: 'look' }, log);
    }
    case 'back':
      return turnBack(plan, state, at, `${nobody}.`);
    case 'hold': {
      const reason = `${nobody}. Run it again to ask again.`;
      return record(state, kept, { do: 'end', end: { verdict: 'held', reason } });
    }
  }
}
