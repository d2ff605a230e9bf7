import type { OptionsOf } from '../problems';
import { oneOf, someText, timeZone } from '../problems';
import { goDuration } from './argo-rules';
import { cronSchedule } from './cron-schedule';
import type { FieldChecks } from './field-checks';

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
  /** Whether syncs that somebody starts are allowed when the window blocks. @default false */
  readonly manualSync?: boolean;
  /** What the window is for, at most 255 characters. @default - nothing */
  readonly description?: string;
}

export const syncWindowKeys: OptionsOf<SyncWindow> = {
  kind: 'plain',
  schedule: 'plain',
  duration: 'plain',
  timeZone: 'plain',
  applications: 'list',
  namespaces: 'list',
  clusters: 'list',
  andOperator: 'plain',
  manualSync: 'plain',
  description: 'plain',
};

/** Checks a project's windows. */
export function checkSyncWindows(checks: FieldChecks, path: string, windows: readonly SyncWindow[]): void {
  windows.forEach((window, position) => {
    const at = `${path}[${position}]`;
    const { applications = [], namespaces = [], clusters = [] } = window;
    checks.required(`${at}.kind`, window.kind, oneOf('allow', 'deny'));
    checks.required(`${at}.schedule`, window.schedule, cronSchedule);
    checks.required(`${at}.duration`, window.duration, goDuration);
    checks.optional(`${at}.timeZone`, window.timeZone, timeZone);
    if (applications.length + namespaces.length + clusters.length === 0) {
      checks.problems.add(at, undefined, 'at least one of "applications", "namespaces", "clusters"');
    }
    checks.each(`${at}.applications`, applications, someText);
    checks.each(`${at}.namespaces`, namespaces, someText);
    checks.each(`${at}.clusters`, clusters, someText);
    checkDescription(checks, `${at}.description`, window.description);
  });
  // Argo CD tells windows apart without these two.
  checks.distinct(
    path,
    windows.map((window) => ({ ...window, manualSync: undefined, description: undefined })),
    'a window',
  );
}

/** Checks a text that Argo CD limits to 255 characters. */
export function checkDescription(checks: FieldChecks, path: string, text: string | undefined): void {
  if (text !== undefined && (typeof text !== 'string' || text.length > 255)) {
    checks.problems.add(path, text, 'a text of at most 255 characters');
  }
}
