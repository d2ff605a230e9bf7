import type { AllowStatement } from '../../core/aws/iam';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import type { Schema } from '../../core/validation/schema';
import type { KeptShift } from './kept-shift';

/** Where ended shifts are kept. */
export interface ShiftHistory {
  /** What it is, for logs and errors: `folder /var/shifts`, `s3://bucket/shifts`. */
  readonly name: string;

  /** Keeps a shift. One that is there already, after a lost answer, stays as it is. */
  keep(shift: KeptShift, signal?: AbortSignal): Promise<void>;

  /** The newest shifts first. */
  list(query: ShiftQuery, signal?: AbortSignal): Promise<KeptShifts>;

  /**
   * A kept shift.
   *
   * @returns a line that says why it can't be read, or undefined where there is none of that name
   */
  read(id: string, signal?: AbortSignal): Promise<KeptShift | string | undefined>;
}

/** Which shifts. */
export interface ShiftQuery {
  /** Name of the fleet. @default - every fleet, and shifts of plans that name none */
  readonly fleet?: string;
  /** How many at most. */
  readonly limit: number;
}

/** What a history holds. */
export interface KeptShifts {
  /** The newest first. */
  readonly shifts: readonly KeptShift[];
  /** What is stored there and can't be read, a line each. */
  readonly problems: readonly string[];
}

/** A history, and how what it was opened with is closed. */
export interface OpenShiftHistory {
  /** The history. */
  readonly history: ShiftHistory;
  /** Closes its connections. */
  readonly close: () => void;
}

/** What rights are for: to keep shifts, or to list and read them. */
export type HistoryRight = 'keep' | 'read';

/** A kind of history: all that is its own. Its file and its line in `registry.ts` are all that there is to add. */
export interface HistoryKind<Settings> {
  /** Its settings, the same in a plan file and in a program. */
  readonly settings: Schema<Settings>;

  /**
   * Asks no one yet.
   *
   * @param base the folder that paths start from
   */
  open(settings: Settings, base: string): Promise<OpenShiftHistory>;

  /** Least rights at AWS, and the role that needs them. @default - none */
  permissions?(
    settings: Settings,
    right: HistoryRight,
  ): { readonly roleArn?: string | undefined; readonly statements: readonly AllowStatement[] };

  /** Least rights on an API server. @default - none */
  access?(
    settings: Settings,
    right: HistoryRight,
  ): { readonly at: KubernetesSettings; readonly rules: readonly AccessRule[] };
}

/** Gives a kind its types. */
export function historyKind<Settings>(kind: HistoryKind<Settings>): HistoryKind<Settings> {
  return kind;
}

/** As many documents are read at once: each may be large. */
const together = 4;

/** As many documents are read of one history for one list: a fleet may have few among the shifts of many. */
const mostRead = 1_000;

/**
 * The newest shifts of a history whose documents are read one by one.
 *
 * @param ids names of all of them
 * @param read answers a line where one can't be read, and undefined where it is gone by now
 */
export async function newestShifts(
  ids: readonly string[],
  { fleet, limit }: ShiftQuery,
  read: (id: string) => Promise<KeptShift | string | undefined>,
): Promise<KeptShifts> {
  const newest = [...ids].sort().reverse().slice(0, mostRead);
  const shifts: KeptShift[] = [];
  const problems: string[] = [];
  for (let from = 0; from < newest.length && shifts.length < limit; from += together) {
    for (const each of await Promise.all(newest.slice(from, from + together).map(read))) {
      if (typeof each === 'string') {
        problems.push(each);
      } else if (each && (fleet === undefined || each.run.fleet === fleet)) {
        shifts.push(each);
      }
    }
  }
  return { shifts: shifts.slice(0, limit), problems };
}
