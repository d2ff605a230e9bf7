import type { ShiftPlan } from '../plan';
import type { ShiftRequested } from './events';
import { stay, withLog } from './states';
import type { ShiftAnswer, ShiftContext, ShiftState } from './states';
import { holdLog, pauseAt, placeReached, rollBack } from './transitions';

/** A person asks a running shift to hold, or to take the traffic back. */
export function requested(plan: ShiftPlan, state: ShiftState, event: ShiftRequested): ShiftAnswer {
  switch (state.phase) {
    case 'idle':
    case 'starting':
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
      return event.what === 'rollBack'
        ? rollBack(plan, course, course.origin, `${event.by} requested a rollback.`)
        : hold(state, event.by);
    }
  }
}

type UnderWay = Extract<ShiftState, { readonly course: ShiftContext }>;

/**
 * No step begins until a person lets it continue. A step that is about to be written is written: what an unfinished write did
 * is not known.
 */
function hold(state: UnderWay, by: string): ShiftAnswer {
  const { phase, course } = state;
  const isBaking = phase === 'standing' && state.bake;
  if (isBaking || course.heldBy !== undefined) {
    return stay(state);
  }
  const held = { ...course, heldBy: by };
  if (phase === 'preparing') {
    return pauseAt(held, placeReached(held), holdLog(held, by));
  }
  return withLog(
    stay({ ...state, course: held }),
    phase === 'paused' ? [] : [`${by} asked it to hold: it waits before its next step.`],
  );
}
