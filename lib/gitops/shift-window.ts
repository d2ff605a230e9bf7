import { parseDuration } from '../durations';
import type { OptionsOf } from '../problems';
import { Problems, someText, refuseOptions } from '../problems';
import { goDuration } from './argo-rules';
import type { SyncWindow } from './sync-window';

/** Which rollouts wait for a shift, and how long at most. */
export interface ShiftWindowOptions {
  /** When the shift starts; only the minute counts. */
  readonly from: Date;
  /** Longest time that the shift takes, `3h`: the window ends then by itself, also where nobody takes it away. */
  readonly lasts: string;
  /** Destination clusters by name or server, with wildcards. @default - by `applications` */
  readonly clusters?: readonly string[];
  /** Names of Applications, with wildcards. @default - by `clusters` */
  readonly applications?: readonly string[];
  /** Whether a sync that somebody starts is allowed all the same. @default true - a rollback of an application must be possible */
  readonly manualSync?: boolean;
  /** Whose shift it is, where several may run at once: the windows of one project stay apart. @default - nobody's */
  readonly of?: string;
}

const shiftWindowOptionsKeys: OptionsOf<ShiftWindowOptions> = {
  from: 'plain',
  lasts: 'plain',
  clusters: 'list',
  applications: 'list',
  manualSync: 'plain',
  of: 'plain',
};

/** How a window of a shift is known among a project's others. */
const mark = 'cluster-canary: a cluster shift is running';

/** Longest window: a schedule of five fields names no year, and a longer one would meet itself. */
const longestHours = 24 * 7;

/**
 * A window that denies the automated rollouts of applications while a cluster shift runs, so that a check that fails during
 * the shift is about the cluster. Both at once stays possible where no such window is set.
 *
 * The window opens at one minute of one day (UTC) and ends after `lasts`: a shift that is killed leaves no project closed.
 * Its schedule has no year, so take it away before the next one.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/
 *
 * @throws InvalidInput where a time is wrong, or no cluster and no Application is named
 */
export function shiftWindow(options: ShiftWindowOptions): SyncWindow {
  refuseOptions('shiftWindow', options, shiftWindowOptionsKeys);
  const { from, lasts, clusters = [], applications = [], manualSync = true, of } = options;
  const problems = new Problems('shiftWindow');
  problems.check('from', from, {
    allowed: 'a date',
    accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  });
  if (problems.check('lasts', lasts, goDuration) && (parseDuration(lasts) ?? 0) > longestHours * 3_600_000) {
    problems.add('lasts', lasts, `at most ${longestHours}h`);
  }
  if (clusters.length + applications.length === 0) {
    problems.add('clusters', undefined, 'at least one of "clusters", "applications"');
  }
  for (const [field, list] of Object.entries({ clusters, applications })) {
    list.forEach((each, position) => problems.check(`${field}[${position}]`, each, someText));
  }
  if (of !== undefined) {
    problems.check('of', of, shortText);
  }
  problems.throwIfAny();
  const [minute, hour, day, month] = [
    from.getUTCMinutes(),
    from.getUTCHours(),
    from.getUTCDate(),
    from.getUTCMonth() + 1,
  ];
  return {
    kind: 'deny',
    schedule: `${minute} ${hour} ${day} ${month} *`,
    duration: lasts,
    timeZone: 'UTC',
    ...(clusters.length > 0 ? { clusters: [...clusters] } : {}),
    ...(applications.length > 0 ? { applications: [...applications] } : {}),
    manualSync,
    description: markOf(of),
  };
}

/** A project's windows with that of a shift; a window of an earlier shift of the same name is replaced. */
export function withShiftWindow(windows: readonly SyncWindow[], window: SyncWindow): SyncWindow[] {
  return [...windows.filter(({ description }) => description !== window.description), window];
}

/**
 * A project's windows without those of shifts.
 *
 * @param of whose window it is. @default - those of all shifts
 */
export function withoutShiftWindow(windows: readonly SyncWindow[], of?: string): SyncWindow[] {
  return windows.filter(({ description = '' }) =>
    of === undefined
      ? description !== mark && !description.startsWith(`${mark}: `)
      : description !== markOf(of),
  );
}

function markOf(of: string | undefined): string {
  return of === undefined ? mark : `${mark}: ${of}`;
}

/** A description has at most 255 characters. */
const shortText = {
  allowed: 'text on one line of at most 200 characters',
  accepts: (value: unknown): boolean =>
    typeof value === 'string' && /^\S[^\r\n]*$/.test(value) && value.length <= 200,
};
