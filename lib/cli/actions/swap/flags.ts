import { Problems } from '../../../core/validation/problems';
import { swapPhases } from '../../../operate/swap';
import type { SwapPhase } from '../../../operate/swap';

/** What `cluster-canary swap` takes beside the file. */
export interface SwapFlags {
  /** The one fleet that is meant, of several. */
  readonly fleet?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly back?: boolean;
  readonly delete?: boolean;
  readonly adopt?: boolean;
  readonly retry?: boolean;
  /** Whether it waits for windows, people and soaks. @default true */
  readonly wait?: boolean;
  readonly approve?: SwapPhase;
  readonly refuse?: SwapPhase;
  /** Who answers. @default - user and machine */
  readonly by?: string;
  /** Files that answer as well: PATH-PHASE. */
  readonly resumeFile?: string;
  /** Begins not before: ISO 8601 with a time zone. */
  readonly schedule?: string;
  readonly forget?: boolean;
  readonly rights?: boolean;
}

/** What is done: one of these. */
const modes = {
  dryRun: '--dry-run',
  rights: '--rights',
  approve: '--approve',
  refuse: '--refuse',
  forget: '--forget',
} as const;

/** What a run alone takes; a dry run shows what a run with some of them would do. */
const ofRuns = {
  back: '--back',
  adopt: '--adopt',
  retry: '--retry',
  resumeFile: '--resume-file',
  schedule: '--schedule',
} as const;

/** A year is far enough: a time beyond is a slip of the keyboard. */
const longestAway = 366 * 24 * 3_600_000;

/**
 * Everything that is wrong with the flags at once.
 *
 * @param now milliseconds since 1970
 * @returns when it may begin
 * @throws InvalidInput
 */
export function checkFlags(flags: SwapFlags, now: number): number {
  const problems = new Problems('swap');
  const given = Object.keys(modes).filter((key) => isGiven(flags, key)) as (keyof typeof modes)[];
  const [first, ...rest] = given;
  rest.forEach((key) => problems.conflicts(modes[key], modes[first!]));
  if (first !== undefined) {
    for (const key of Object.keys(ofRuns) as (keyof typeof ofRuns)[]) {
      const isShown =
        (key === 'back' && first === 'rights') ||
        (['adopt', 'retry', 'schedule'].includes(key) && first === 'dryRun');
      if (isGiven(flags, key) && !isShown) {
        problems.conflicts(ofRuns[key], modes[first]);
      }
    }
    if (flags.wait === false) {
      problems.conflicts('--no-wait', modes[first]);
    }
    if (flags.json === true && !['dryRun', 'rights'].includes(first)) {
      problems.conflicts('--json', modes[first]);
    }
  }
  if (flags.delete === true && flags.back !== true) {
    problems.addSecret('--delete', 'given with --back: it deletes the new cluster');
  }
  if (flags.adopt === true && flags.back === true) {
    problems.conflicts('--adopt', '--back');
  }
  if (flags.retry === true && flags.back === true) {
    problems.conflicts('--retry', '--back');
  }
  if (flags.schedule !== undefined && flags.back === true) {
    problems.conflicts('--schedule', '--back');
  }
  for (const key of ['approve', 'refuse'] as const) {
    const phase = flags[key];
    if (phase !== undefined && !swapPhases.includes(phase)) {
      problems.add(modes[key], phase, `one of the phases ${swapPhases.join(', ')}`);
    }
  }
  if (flags.by !== undefined && flags.approve === undefined && flags.refuse === undefined) {
    problems.addSecret('--by', 'given with --approve or --refuse: it names who answers');
  } else if (flags.by !== undefined && !/^\S[^\p{C}]{0,99}$/u.test(flags.by)) {
    problems.add('--by', flags.by, 'a name of 1 to 100 characters');
  }
  const begins = flags.schedule === undefined ? now : timeOf(flags.schedule);
  if (begins === undefined || Math.abs(begins - now) > longestAway) {
    problems.add(
      '--schedule',
      flags.schedule,
      'a time with its time zone, within a year: 2026-12-01T22:00:00Z',
    );
  }
  problems.throwIfAny();
  return begins!;
}

function isGiven(flags: SwapFlags, key: string): boolean {
  const value = (flags as Readonly<Record<string, unknown>>)[key];
  return value !== undefined && value !== false;
}

/** A day that the month does not have is no time, though `Date` takes one for the next month's. */
function timeOf(text: string): number | undefined {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const time = date === undefined ? NaN : Date.parse(text);
  const isDay = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(time) || Number.isNaN(isDay.getTime()) || isDay.toISOString().slice(0, 10) !== date
    ? undefined
    : time;
}
