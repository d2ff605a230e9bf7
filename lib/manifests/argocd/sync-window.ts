import { parseDuration } from '../../core/durations';
import { across, list, object, optional } from '../../core/validation/collections';
import { oneOfWords, nonEmptyText, timeZone, trueOrFalse } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { flag, following, text, that } from '../../core/validation/values';
import { cronSchedule } from '../cron-schedule';
import { completed, refuseProps, withKeys } from '../field-schemas';
import { positiveDuration } from './argo-object';

/**
 * A time in which syncs are allowed only then, or denied. It says at least one of `applications`,
 * `namespaces` and `clusters`; what any of them matches is in the window.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/
 */
export interface SyncWindow {
  /** Whether syncs are allowed in the window (and at no other time), or denied. */
  readonly kind: 'allow' | 'deny';
  /** When the window opens: five cron fields. */
  readonly schedule: string;
  /** How long it stays open, `1h30m`. */
  readonly duration: string;
  /** Time zone of the schedule, by its IANA name. @default 'UTC' - Argo CD's own default */
  readonly timeZone?: string;
  /** Names of Applications, with wildcards. @default - none */
  readonly applications?: readonly string[];
  /** Destination namespaces, with wildcards. @default - none */
  readonly namespaces?: readonly string[];
  /** Destination clusters by name or server, with wildcards. @default - none */
  readonly clusters?: readonly string[];
  /** Whether an Application must match all of the lists instead of any. @default false */
  readonly andOperator?: boolean;
  /** Whether syncs that a user starts are allowed when the window blocks. @default false */
  readonly manualSync?: boolean;
  /** What the window is for, at most 255 characters. @default - nothing */
  readonly description?: string;
}

/** A text that Argo CD limits to 255 characters. */
export const description: Schema<string> = text('a text of at most 255 characters', undefined, 255);

const names = optional(list(completed(nonEmptyText)));

export const syncWindowSchema: Schema<SyncWindow> = withKeys(
  'at least one',
  ['applications', 'namespaces', 'clusters'],
  object<SyncWindow>({
    kind: completed(oneOfWords('allow', 'deny')),
    schedule: completed(cronSchedule),
    duration: completed(positiveDuration),
    timeZone: optional(completed(timeZone)),
    applications: names,
    namespaces: names,
    clusters: names,
    andOperator: optional(completed(trueOrFalse)),
    manualSync: optional(completed(trueOrFalse)),
    description: optional(description),
  }),
);

/** Which rollouts wait for a shift, and how long at most. */
export interface ShiftWindowOptions {
  /** When the shift starts; only the minute counts. */
  readonly from: Date;
  /** Longest time that the shift takes, `3h`: the window ends then automatically, also where no process removes it. */
  readonly lasts: string;
  /** Destination clusters by name or server, with wildcards. @default - by `applications` */
  readonly clusters?: readonly string[];
  /** Names of Applications, with wildcards. @default - by `clusters` */
  readonly applications?: readonly string[];
  /** Whether a sync that a user starts is allowed all the same. @default true - a rollback of an application must be possible */
  readonly manualSync?: boolean;
  /** Whose shift it is, where several may run at once: the windows of one project stay apart. @default - unnamed */
  readonly of?: string;
}

/** How a window of a shift is known among a project's others. */
const mark = 'cluster-canary: a cluster shift is running';

/** Longest window: a schedule of five fields names no year, and a longer one would meet itself. */
const longestHours = 24 * 7;

const finalNames = optional(list(following(nonEmptyText)));

const shiftWindowOptions = across(
  object<ShiftWindowOptions>({
    from: following({
      allowed: 'a date',
      accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    }),
    lasts: that(
      following(positiveDuration),
      `at most ${longestHours}h`,
      (value) => parseDuration(value)! <= longestHours * 3_600_000,
    ),
    clusters: finalNames,
    applications: finalNames,
    manualSync: optional(flag),
    // A description has at most 255 characters.
    of: optional(text('text on one line of at most 200 characters', /^\S[^\r\n]*$/, 200)),
  }),
  ({ clusters, applications }, { mustBeSecretly }) => {
    const isLeftOut = (names: unknown): boolean =>
      names === undefined || (Array.isArray(names) && names.length === 0);
    if (isLeftOut(clusters) && isLeftOut(applications)) {
      mustBeSecretly(['clusters'], 'at least one of "clusters", "applications"');
    }
  },
);

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
  refuseProps('shiftWindow', shiftWindowOptions, options);
  const { from, lasts, clusters = [], applications = [], manualSync = true, of } = options;
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
