import type { Verdict } from '../outcome';
import type { WaveShift, WavesAction, WavesAnswer, WavesEvent, WavesPlan, WavesState } from './waves';

/**
 * The machine of waves, as pure as the one of a shift: a wave starts when all shifts before it are complete; one that
 * fails stops what runs beside it, starts nothing more, and takes back what `onFailure` says. A shift that holds starts
 * nothing more, and takes nothing back.
 */
export function nextWaves(plan: WavesPlan, state: WavesState, event: WavesEvent): WavesAnswer {
  if (state.verdict !== null) {
    return { state, actions: [] };
  }
  switch (event.type) {
    case 'started':
      return state.wave < 0 ? startNext(plan, state, []) : { state, actions: [] };
    case 'interrupted':
      return settle(plan, { ...state, interrupted: true }, []);
    case 'ended':
      return isAt(state, event.shift, 'running', 'stopping')
        ? afterEnd(plan, state, event.shift, event.verdict)
        : { state, actions: [] };
    case 'returned':
      return isAt(state, event.shift, 'returning')
        ? settle(plan, become(state, event.shift, event.verdict), [])
        : { state, actions: [] };
  }
}

function afterEnd(plan: WavesPlan, before: WavesState, shift: string, verdict: Verdict): WavesAnswer {
  const state = become(before, shift, verdict);
  const fails = verdict === 'aborted' || (verdict === 'rolledBack' && !before.interrupted);
  if (fails && state.failed === null && before.shifts[shift] === 'running') {
    return takeBack(plan, { ...state, failed: shift });
  }
  return state.failed === null ? settle(plan, state, []) : takeBack(plan, state);
}

/** Stops what runs, and takes back what has ended at other weights than it began with. */
function takeBack(plan: WavesPlan, state: WavesState): WavesAnswer {
  const shifts = { ...state.shifts };
  const actions: WavesAction[] = [];
  for (const shift of wavesToTakeBack(plan, state)) {
    if (shifts[shift] === 'running') {
      shifts[shift] = 'stopping';
      actions.push({ type: 'stop', shift });
    } else if (shifts[shift] === 'completed' || shifts[shift] === 'held') {
      shifts[shift] = 'returning';
      actions.push({ type: 'takeBack', shift });
    }
  }
  return settle(plan, { ...state, shifts }, actions);
}

/** The shifts that go back when one of them has failed. */
function wavesToTakeBack(plan: WavesPlan, { wave }: WavesState): readonly string[] {
  return plan.onFailure === 'all' ? plan.waves.slice(0, wave + 1).flat() : plan.waves[wave]!;
}

/** Ends, or goes on, where nothing runs any more. */
function settle(plan: WavesPlan, state: WavesState, actions: readonly WavesAction[]): WavesAnswer {
  const all = Object.values(state.shifts);
  if (all.some((shift) => shift === 'running' || shift === 'stopping' || shift === 'returning')) {
    return { state, actions };
  }
  const stops = state.interrupted || state.failed !== null || all.some((shift) => shift === 'held');
  return stops
    ? { state: { ...state, verdict: verdictOf(plan, state) }, actions }
    : startNext(plan, state, actions);
}

function startNext(plan: WavesPlan, state: WavesState, before: readonly WavesAction[]): WavesAnswer {
  const wave = state.wave + 1;
  const names = plan.waves[wave];
  const done = plan.onFailure === 'all' ? (names ? [] : plan.waves.flat()) : (plan.waves[state.wave] ?? []);
  const forget = done.map((shift): WavesAction => ({ type: 'forget', shift }));
  if (!names) {
    return { state: { ...state, verdict: 'completed' }, actions: [...before, ...forget] };
  }
  const run = names.map((shift): WavesAction => ({ type: 'run', shift }));
  const shifts = {
    ...state.shifts,
    ...Object.fromEntries(names.map((shift) => [shift, 'running' as const])),
  };
  return { state: { ...state, wave, shifts }, actions: [...before, ...forget, ...run] };
}

function verdictOf(plan: WavesPlan, state: WavesState): Verdict {
  const { shifts, failed } = state;
  const all = Object.values(shifts);
  if (all.includes('aborted')) {
    return 'aborted';
  }
  if (failed !== null) {
    const isBack = wavesToTakeBack(plan, state).every((shift) => shifts[shift] === 'rolledBack');
    return isBack ? 'rolledBack' : 'aborted';
  }
  if (all.every((shift) => shift === 'completed')) {
    return 'completed';
  }
  // Interrupted, with plans that roll back then.
  const begun = all.filter((shift) => shift !== 'waiting');
  return begun.length > 0 && begun.every((shift) => shift === 'rolledBack') ? 'rolledBack' : 'held';
}

function become(state: WavesState, shift: string, verdict: WaveShift): WavesState {
  return { ...state, shifts: { ...state.shifts, [shift]: verdict } };
}

function isAt(state: WavesState, shift: string, ...places: readonly WaveShift[]): boolean {
  const place = state.shifts[shift];
  return place !== undefined && places.includes(place);
}
