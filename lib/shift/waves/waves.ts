import type { Problem } from '../../problems';
import { Problems } from '../../problems';
import type { Verdict } from '../outcome';

/** Which shifts run when, and what a failure takes back. */
export interface WavesPlan {
  /** Names of shifts: those of a wave run at once, when all those before have baked. */
  readonly waves: readonly (readonly string[])[];
  /** A failure rolls back its own wave, or every wave that has run. @default 'wave' */
  readonly onFailure?: 'wave' | 'all';
}

export type WavesEvent =
  | { readonly type: 'started' }
  /** A shift has come to its end. */
  | { readonly type: 'ended'; readonly shift: string; readonly verdict: Verdict }
  /** A shift that was to be taken back has come to an end again. */
  | { readonly type: 'returned'; readonly shift: string; readonly verdict: Verdict }
  /** Nothing new is to be started. */
  | { readonly type: 'interrupted' };

export type WavesAction =
  /** Run it. */
  | { readonly type: 'run'; readonly shift: string }
  /** Interrupt it: another one has failed. */
  | { readonly type: 'stop'; readonly shift: string }
  /** Roll it back to its origin, although it has ended. */
  | { readonly type: 'takeBack'; readonly shift: string }
  /** It will not be taken back any more: forget its origin. */
  | { readonly type: 'forget'; readonly shift: string };

/** What became of one shift. */
export type WaveShift = 'waiting' | 'running' | 'stopping' | 'returning' | Verdict;

export interface WavesState {
  /** Which wave runs, or ran last; -1 before the first. */
  readonly wave: number;
  readonly shifts: Readonly<Record<string, WaveShift>>;
  /** The shift that failed first. */
  readonly failed: string | null;
  readonly interrupted: boolean;
  /** Set at the end. */
  readonly verdict: Verdict | null;
}

export interface WavesAnswer {
  readonly state: WavesState;
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
