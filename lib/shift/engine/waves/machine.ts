import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Verdict } from '../outcome';

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

/** Which shifts run when, and what a failure takes back. */
export interface WavesPlan {
  /** Names of shifts: those of a wave run at once, when all those before have baked. */
  readonly waves: readonly (readonly string[])[];
  /** A failure rolls back its own wave, or every wave that has run. @default 'wave' */
  readonly onFailure?: 'wave' | 'all';
}

/** What happened, for the machine of the waves. */
export type WavesEvent =
  /** The first event. */
  | { readonly type: 'started' }
  /** A shift has come to its end. */
  | {
      readonly type: 'ended';
      /** Name of the shift. */
      readonly shift: string;
      /** How it ended. */
      readonly verdict: Verdict;
    }
  /** A shift that was to be taken back has come to an end again. */
  | {
      readonly type: 'returned';
      /** Name of the shift. */
      readonly shift: string;
      /** How it ended: `rolledBack` where it was taken back. */
      readonly verdict: Verdict;
    }
  /** Nothing new is to be started. */
  | { readonly type: 'interrupted' };

/** What the machine of the waves asks for. */
export type WavesAction =
  /** Run it. */
  | {
      readonly type: 'run';
      /** Name of the shift. */
      readonly shift: string;
    }
  /** Interrupt it: another one has failed. */
  | {
      readonly type: 'stop';
      /** Name of the shift. */
      readonly shift: string;
    }
  /** Roll it back to its origin, although it has ended. */
  | {
      readonly type: 'takeBack';
      /** Name of the shift. */
      readonly shift: string;
    }
  /** It will not be taken back any more: forget its origin. */
  | {
      readonly type: 'forget';
      /** Name of the shift. */
      readonly shift: string;
    };

/** What became of one shift. */
export type WaveShift = 'waiting' | 'running' | 'stopping' | 'returning' | Verdict;

/** Where the waves are. */
export interface WavesState {
  /** Which wave runs, or ran last; -1 before the first. */
  readonly wave: number;
  /** What has become of each shift, by name. */
  readonly shifts: Readonly<Record<string, WaveShift>>;
  /** The shift that failed first. */
  readonly failed: string | null;
  /** Whether nothing new is to be started. */
  readonly interrupted: boolean;
  /** Set at the end. */
  readonly verdict: Verdict | null;
}

/** What the machine of the waves answers. */
export interface WavesAnswer {
  /** Where the waves are now: it goes into the next call. */
  readonly state: WavesState;
  /** What to do, in order. */
  readonly actions: readonly WavesAction[];
}

/** Before the first event. */
export function initialWaves(plan: WavesPlan): WavesState {
  const shifts = Object.fromEntries(plan.waves.flat().map((shift) => [shift, 'waiting' as const]));
  return { wave: -1, shifts, failed: null, interrupted: false, verdict: null };
}

/** What is wrong with waves of these shifts. */
export function wavesProblems(plan: WavesPlan, shifts: readonly string[]): readonly Problem[] {
  const problems = new Problems('waves');
  const placed = new Set<string>();
  for (const [index, wave] of plan.waves.entries()) {
    if (wave.length === 0) {
      problems.add(`waves[${index}]`, wave, 'a list of at least one shift');
    }
    for (const [place, shift] of wave.entries()) {
      if (!shifts.includes(shift)) {
        problems.add(`waves[${index}][${place}]`, shift, `one of ${shifts.join(', ')}`);
      } else if (placed.has(shift)) {
        problems.add(`waves[${index}][${place}]`, shift, 'in one wave only');
      }
      placed.add(shift);
    }
  }
  for (const shift of shifts.filter((each) => !placed.has(each))) {
    problems.add('waves', shift, 'complete: this shift is in no wave');
  }
  return problems.all;
}
