import { parameterJson } from '../../core/aws/parameter-text';
import { oneLine } from '../../core/printable-text';
import { list, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { refuseArguments } from '../../core/validation/arguments';
import { formatProblem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { fits, number, oneOf, text, whole } from '../../core/validation/values';
import { leaseName } from '../../shift/leases';

/** What has ended, as it is remembered. Times are milliseconds since 1970. */
export interface HistoryEntry {
  /** Another one for each run of the kind. */
  readonly id: string;
  /** What it was. */
  readonly kind: 'swap';
  /** Name of the fleet. */
  readonly fleet: string;
  /** Region of its clusters. */
  readonly region: string;
  /** Who began it: user and machine. */
  readonly by: string;
  /** When it began. */
  readonly startedAt: number;
  /** When it ended. */
  readonly endedAt: number;
  /** The slot that had all traffic at its begin. */
  readonly old: HistorySlot;
  /** The slot that was to get it. */
  readonly new: HistorySlot;
  /** How it ended. */
  readonly verdict: 'completed' | 'rolledBack' | 'forgotten';
  /** Why it went back. @default - it did not */
  readonly why?: string;
  /** Phases that ended, in order. */
  readonly phases: readonly HistoryPhase[];
  /** How many phases are not kept: the store has no room for them. @default 0 */
  readonly phasesLeftOut?: number;
  /** What the second control plane cost. @default - there were never two of them */
  readonly cost?: HistoryCost;
}

/** One of the two slots. */
export interface HistorySlot {
  /** Name of the slot: `blue`. */
  readonly name: string;
  /** Kubernetes version: `1.36`. */
  readonly version: string;
}

/** A phase that ended. */
export interface HistoryPhase {
  /** Name of the phase: `soak`. */
  readonly phase: string;
  /** When it began. */
  readonly startedAt: number;
  /** When it ended. */
  readonly endedAt: number;
  /** How it ended: `passed`, `failed`, `skipped`, `undone`. */
  readonly verdict: string;
  /** Why, for a person. @default - it passed */
  readonly reason?: string;
  /** Who agreed to it. @default - no one had to agree */
  readonly approvedBy?: string;
}

/**
 * What the control plane cost that has no traffic at the end, as long as there were two. Nodes, load balancers and data
 * transfer are not in it: they differ by cluster, and nodes cost more than the control plane.
 */
export interface HistoryCost {
  /** Hours with two control planes. */
  readonly hours: number;
  /** US cents an hour of that control plane, by the support of its version. @default - it is not known */
  readonly centsAnHour?: number;
}

/** Where entries are kept. */
export interface HistoryStore {
  /** What it is, for logs and errors: `SSM parameters below /cluster-canary/history`. */
  readonly name: string;

  /**
   * Adds an entry. One that is there already, after a kill, stays as it is.
   *
   * @throws InvalidInput for what is no entry
   */
  add(entry: HistoryEntry, signal?: AbortSignal): Promise<void>;

  /** The newest entries first. */
  list(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryList>;
}

/** Which entries. */
export interface HistoryQuery {
  /** Name of the fleet. @default - every fleet */
  readonly fleet?: string;
  /** How many at most. */
  readonly limit: number;
}

/** What a store holds. */
export interface HistoryList {
  /** The newest first. */
  readonly entries: readonly HistoryEntry[];
  /** What is stored there and can't be read, a line each. */
  readonly problems: readonly string[];
}

/**
 * Bytes of an entry: what a standard parameter of SSM holds. Other stores keep the same.
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
 */
export const longestEntry = 4_096;

const schemaVersion = 1;

const time = number('milliseconds since 1970', { min: 0, max: 8.64e15 });
const word = text('a text of at most 100 characters', undefined, 100);
const words = text('a text of at most 4,096 characters', undefined, longestEntry);
const slot = object<HistorySlot>({ name: fits(dnsLabel), version: word }, 'a slot: { name, version }', 'any');

/** An entry as it is stored; further keys of a newer release are not looked at. */
const historyEntry = object<HistoryEntry>(
  {
    id: text('a text of 1 to 200 characters', /./, 200),
    kind: oneOf('swap'),
    fleet: fits(dnsLabel),
    region: text('an AWS region', /^[a-z0-9-]{1,40}$/),
    by: words,
    startedAt: time,
    endedAt: time,
    old: slot,
    new: slot,
    verdict: oneOf('completed', 'rolledBack', 'forgotten'),
    why: optional(words),
    phases: list(
      object<HistoryPhase>(
        {
          phase: word,
          startedAt: time,
          endedAt: time,
          verdict: word,
          reason: optional(words),
          approvedBy: optional(words),
        },
        'a phase that has ended',
        'any',
      ),
    ),
    phasesLeftOut: optional(whole(0, 1_000_000)),
    cost: optional(
      object<HistoryCost>(
        {
          hours: number('hours', { min: 0, max: 1e7 }),
          centsAnHour: optional(number('US cents', { min: 0, max: 1e7 })),
        },
        'an object with hours',
        'any',
      ),
    ),
  },
  'an entry of the history',
  'any',
);

/** @throws InvalidInput with every problem of an entry */
export function checkEntry(entry: HistoryEntry): void {
  refuseArguments('history', historyEntry, entry);
}

/** A name for an entry, the same after a kill: letters, digits and `-`, at most 58 characters. */
export function entryName({ fleet, region, id }: Pick<HistoryEntry, 'fleet' | 'region' | 'id'>): string {
  return leaseName(`${fleet} ${region} ${id}`);
}

/** How long texts may be: the first of these with which an entry fits its place. */
const cuts = [500, 200, 80, 20, 0];

/**
 * The text of an entry, within {@link longestEntry} bytes: its texts are cut, and at last its phases in the middle are left
 * out.
 */
export function entryText(entry: HistoryEntry): string {
  for (const most of cuts) {
    const said = textOf(withTexts(entry, most));
    if (bytesOf(said) <= longestEntry) {
      return said;
    }
  }
  const short = withTexts(entry, 0);
  for (let kept = Math.min(short.phases.length - 1, 40); ; kept -= 1) {
    const half = Math.ceil(kept / 2);
    const phases = [...short.phases.slice(0, half), ...(kept > half ? short.phases.slice(half - kept) : [])];
    const said = textOf({ ...short, phases, phasesLeftOut: short.phases.length - kept });
    if (kept <= 0 || bytesOf(said) <= longestEntry) {
      return said;
    }
  }
}

function textOf(entry: HistoryEntry): string {
  return parameterJson(JSON.stringify({ schemaVersion, ...entry }));
}

function bytesOf(said: string): number {
  return Buffer.byteLength(said);
}

function withTexts(entry: HistoryEntry, most: number): HistoryEntry {
  const { by, why, phases } = entry;
  const cut = (said: string, least = 0): string => {
    const length = Math.max(most, least);
    return said.length > length ? `${said.slice(0, Math.max(length - 3, 0))}...` : said;
  };
  return {
    ...entry,
    // Who it was is kept longest.
    by: cut(by, 80),
    ...(why !== undefined && { why: cut(why, 80) }),
    phases: phases.map(({ reason, approvedBy, ...phase }) => ({
      ...phase,
      ...(reason !== undefined && { reason: cut(reason) }),
      ...(approvedBy !== undefined && { approvedBy: cut(approvedBy, 20) }),
    })),
  };
}

/** An entry is flat, and no longer than this: another text is none, and is not read. */
const longestRead = 262_144;

/**
 * A stored entry. Whatever the text is, the answer is an entry or a line that says why it is none.
 *
 * @param place where it is stored, for that line
 */
export function readEntry(place: string, stored: string | undefined): HistoryEntry | string {
  const value = parsed(stored);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return oneLine(`${place}: it is no entry of the history`);
  }
  const { schemaVersion: version, ...entry } = value as Readonly<Record<string, unknown>>;
  if (typeof version === 'number' && version > schemaVersion) {
    return oneLine(
      `${place}: a newer release of cluster-canary wrote it (schemaVersion ${version}; this release reads up to ${schemaVersion})`,
    );
  }
  const problems = problemsOf(historyEntry, entry);
  return problems.length === 0
    ? (entry as unknown as HistoryEntry)
    : oneLine(`${place}: ${problems.slice(0, mostProblems).map(formatProblem).join('; ')}`);
}

/** Of one entry: what comes after them says no more. */
const mostProblems = 3;

function parsed(stored: string | undefined): unknown {
  if (stored === undefined || stored.length > longestRead) {
    return undefined;
  }
  try {
    return JSON.parse(stored) as unknown;
  } catch {
    return undefined;
  }
}

/** What a store answers of all that it has read: no entry twice, the newest first. */
export function historyList(
  read: readonly (HistoryEntry | string)[],
  { fleet, limit }: HistoryQuery,
): HistoryList {
  const entries = new Map<string, HistoryEntry>();
  const problems: string[] = [];
  for (const each of read) {
    if (typeof each === 'string') {
      problems.push(each);
    } else if (fleet === undefined || each.fleet === fleet) {
      entries.set(`${each.fleet} ${each.region} ${each.id}`, each);
    }
  }
  const newest = [...entries.values()].sort((one, other) => other.startedAt - one.startedAt);
  return { entries: newest.slice(0, limit), problems };
}
