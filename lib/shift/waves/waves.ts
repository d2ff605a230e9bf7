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
