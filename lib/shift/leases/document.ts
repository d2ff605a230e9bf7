import { createHash, randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { opaque } from '../../core/validation/arguments';
import { optional } from '../../core/validation/collections';
import { trueOrFalse } from '../../core/validation/formats';
import { Problems, formatProblem, isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Entries } from '../../core/validation/schema';
import { number, text } from '../../core/validation/values';
import { LeaseTaken, NewerLease, capacityRecord, evacuationText } from '../engine';
import type { LeaseContent, ShiftRecord } from '../engine';

/** What every lease takes. */
export interface LeaseOptions {
  /**
   * Who takes the lease; another for every run.
   *
   * @default - user, machine and process, with a random part
   */
  readonly holder?: string;
  /**
   * How long it lasts after it was taken or kept, in milliseconds. A shift has to keep it more often than that, and a run
   * after a kill may have to wait that long.
   *
   * @default 120000
   */
  readonly duration?: number;
  /**
   * The clock by which it expires.
   * @default - the clock of this machine; clocks of holders have to agree but for a small part of the duration
   */
  readonly clock?: Clock;
}

export const leaseOptionEntries: Entries<LeaseOptions> = {
  holder: optional(text('the name of a holder')),
  duration: optional(number('a number of milliseconds above 0', { above: 0 })),
  clock: optional(opaque('a clock')),
};

/** The options with their defaults. */
export function leaseDefaults(options: LeaseOptions): Required<LeaseOptions> {
  return {
    holder: options.holder ?? `${userOnMachine()} ${process.pid} ${randomUUID()}`,
    duration: options.duration ?? 120_000,
    clock: options.clock ?? systemClock,
  };
}

/** No run asks for a longer lease: one that would last longer was written by a clock that is wrong, or by hand. */
export const longestDuration = 24 * 60 * 60_000;

/** The holder that keeps others out now. */
export function currentHolder(document: LeaseDocument | undefined, now: number): string | undefined {
  const lasts = (document?.expiresAt ?? 0) - now;
  return lasts > 0 && lasts <= longestDuration ? document?.holder : undefined;
}

/** A holder whose name is not known any more. */
export const someone = 'another process';

/** A Lease may name its holder in a megabyte. */
const longestShown = 1_000;

/** The error for a lease that somebody else holds. */
export function leaseTaken(name: string, holder: string, expiresAt: number): LeaseTaken {
  const until =
    expiresAt > 0 ? `; its lease ends at ${new Date(expiresAt).toISOString()} unless it goes on` : '';
  const shown = holder.length > longestShown ? `${holder.slice(0, longestShown)}...` : holder;
  return new LeaseTaken(
    `${name}: another shift of these weights has the lease: ${shown}${until}`,
    shown,
    expiresAt,
  );
}

/** The error for a lease that an evacuation has taken away; undefined where the newest record is of none. */
export function leaseSeized(name: string, record: ShiftRecord | undefined): LeaseTaken | undefined {
  if (!record?.evacuated || record.ended?.verdict !== 'evacuated') {
    return undefined;
  }
  return new LeaseTaken(`${name}: ${evacuationText(record)}`, record.evacuated.by, 0);
}

/** Who runs this, for people: `alex@laptop`. */
export function userOnMachine(): string {
  return `${userName()}@${hostname()}`;
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** So much of the hash makes two rules with one name unlikely enough: 48 bits. */
const hashLength = 12;

/** A Kubernetes name may be longer, but a label value may not. */
const longestReadable = 45;

/**
 * A short name for what is shifted, the same for every run: the beginning of its id without the account, for people, and
 * a hash of all of it. Lower-case letters, digits and `-`, at most 58 characters: fit for SSM and for Kubernetes.
 *
 * @param id of a router: an ARN, say
 */
export function leaseName(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength);
  const readable = id
    .toLowerCase()
    .replace(/^arn:([^:]*:){4}/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longestReadable)
    .replace(/-$/, '');
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** What a lease holds, wherever it is stored. Times are milliseconds since 1970. */
export interface LeaseDocument extends LeaseContent {
  /** Who holds it; unset once it was given back. */
  readonly holder?: string;
  /** When it expires. */
  readonly expiresAt: number;
  /** What is stored in the place of a record and is none: a person may still patch it. @default - nothing */
  readonly unreadable?: unknown;
  /** Versions of the further parameters that hold what the record says of raised capacity. @default - it is in the record */
  readonly raisedIn?: readonly number[];
}

/**
 * Version of what is stored. Version 2 marks a shift that has ended; a release that knows version 1 alone would take it for
 * unfinished.
 */
const schemaVersion = 2;

/** The document as it is stored. */
export function leaseText(document: Omit<LeaseDocument, 'problem'>): string {
  const { holder, expiresAt, record, unreadable, raisedIn } = document;
  return JSON.stringify({
    schemaVersion,
    ...(holder !== undefined && { holder }),
    expiresAt,
    ...(record ? { record } : unreadable === undefined ? {} : { record: unreadable }),
    ...(raisedIn && { raisedIn }),
  });
}

/**
 * A stored document. What can't be read is no one's and holds no record: `problem` says why.
 *
 * @param name of the lease, for the error
 * @throws NewerLease for a document of a newer release
 */
export function readLease(name: string, text: string | undefined): LeaseDocument {
  const value = parsed(text);
  refuseNewer(name, value);
  const problems = new Problems('lease');
  if (!isPlainObject(value) || !versions.accepts(value['schemaVersion'])) {
    return { expiresAt: 0, problem: 'it is no document of a lease', ...leftFor(text) };
  }
  const { holder, expiresAt, record, raisedIn } = value;
  problems.checkGiven('', { holder, raisedIn }, { holder: shortText, raisedIn: partVersions });
  if (!problems.check('expiresAt', expiresAt, moment) || problems.all.length > 0) {
    return { expiresAt: 0, problem: textOf(problems), ...leftFor(record ?? text) };
  }
  return {
    ...(typeof holder === 'string' && { holder }),
    expiresAt: expiresAt as number,
    ...(record === undefined ? {} : withUnreadable(readRecord(record), record)),
    ...(raisedIn !== undefined && { raisedIn: raisedIn as readonly number[] }),
  };
}

function withUnreadable(content: LeaseContent, value: unknown): Omit<LeaseDocument, 'expiresAt'> {
  return content.record ? content : { ...content, ...leftFor(value) };
}

/** A standard parameter holds 4 KB: what is longer, or nested too deep to be written again, can't be kept beside a holder. */
const longestKept = 3_000;

function leftFor(value: unknown): Pick<LeaseDocument, 'unreadable'> {
  const isKept =
    value !== undefined &&
    value !== '' &&
    isWithin(value, deepest) &&
    Buffer.byteLength(JSON.stringify(value)) <= longestKept;
  return isKept ? { unreadable: value } : {};
}

/** The record as it is stored where holder and times have fields of their own. */
export function recordText(record: ShiftRecord): string {
  return JSON.stringify({ schemaVersion, ...record });
}

/**
 * A record that was stored by {@link recordText}.
 *
 * @throws NewerLease for one of a newer release
 */
export function readRecordText(name: string, text: string | undefined): LeaseContent {
  if (text === undefined) {
    return {};
  }
  const value = parsed(text);
  refuseNewer(name, value);
  if (!isPlainObject(value)) {
    return { problem: 'it is no record of a shift' };
  }
  // The first version had no number here.
  const { schemaVersion: _version, ...record } = value;
  return readRecord(record);
}

const versions: Format = { allowed: '1 or 2', accepts: (value) => value === 1 || value === schemaVersion };

function refuseNewer(name: string, value: unknown): void {
  const version = isPlainObject(value) ? value['schemaVersion'] : undefined;
  if (typeof version === 'number' && version > schemaVersion) {
    throw new NewerLease(name, version, schemaVersion);
  }
}

/** What a `Date` can hold: anything else is no time, and could not be shown as one. */
const latestTime = 8.64e15;

/** A moment, in milliseconds since 1970. */
export const moment: Format = {
  allowed: 'milliseconds since 1970',
  accepts: (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= latestTime,
};

const shortText: Format = {
  allowed: 'a text of at most 1,000 characters',
  accepts: (value) => typeof value === 'string' && value.length <= 1_000,
};

/** A hundred names of the greatest length take fifteen. */
export const mostParts = 24;

const partVersions: Format = {
  allowed: `a list of 1 to ${mostParts} versions of parameters`,
  accepts: (value) =>
    Array.isArray(value) &&
    between(value.length, 1, mostParts) &&
    value.every((each) => Number.isSafeInteger(each) && (each as number) > 0),
};

/** They are shown; nothing in a cluster has a longer name. */
const longestSlot = 253;

const verdicts = ['completed', 'rolledBack', 'held', 'aborted', 'forgotten', 'evacuated'];

const verdict: Format = {
  allowed: verdicts.join(', '),
  accepts: (value) => verdicts.includes(value as string),
};

const weights: Format = {
  allowed: `whole percents of 1 to 100 slots with names of at most ${longestSlot} characters`,
  accepts: (value) =>
    isPlainObject(value) &&
    between(Object.keys(value).length, 1, 100) &&
    Object.keys(value).every((slot) => slot.length <= longestSlot) &&
    Object.values(value).every((weight) => Number.isInteger(weight) && between(weight as number, 0, 100)),
};

const severalWeights: Format = {
  allowed: 'a list of at most 100 weights',
  accepts: (value) =>
    Array.isArray(value) && value.length <= 100 && value.every((each) => weights.accepts(each)),
};

const slotNames: Format = {
  allowed: `a list of 1 to 100 names of slots, of at most ${longestSlot} characters each`,
  accepts: (value) =>
    Array.isArray(value) &&
    between(value.length, 1, 100) &&
    value.every((slot) => typeof slot === 'string' && between(slot.length, 1, longestSlot)),
};

const countsByCheck: Format = {
  allowed: 'numbers by slot, by the name of a check',
  accepts: (value) =>
    isPlainObject(value) &&
    Object.values(value).every(
      (counts) => isPlainObject(counts) && Object.values(counts).every((count) => Number.isFinite(count)),
    ),
};

/** What else a newer release may have written there stays. */
function readRecord(value: unknown): LeaseContent {
  if (!isPlainObject(value)) {
    return { problem: 'its record is no record of a shift' };
  }
  if (!isWithin(value, deepest)) {
    return { problem: `its record is nested more than ${deepest} levels deep` };
  }
  const problems = new Problems('record');
  const { origin, wanted, written, startedAt, before, rollingBack, ended, evacuated, baselines, raised } =
    value;
  for (const [path, each] of Object.entries({ origin, wanted, written })) {
    problems.check(path, each, weights);
  }
  problems.check('startedAt', startedAt, moment);
  problems.checkGiven('', { before, rollingBack }, { before: severalWeights, rollingBack: trueOrFalse });
  if (ended !== undefined) {
    checkEnded(problems, ended);
  }
  if (evacuated !== undefined) {
    const { slots, by } = isPlainObject(evacuated) ? evacuated : {};
    problems.check('evacuated.slots', slots, slotNames);
    problems.check('evacuated.by', by, shortText);
  }
  problems.checkGiven('', { baselines }, { baselines: countsByCheck });
  if (raised !== undefined) {
    problems.addAll(problemsOf(capacityRecord, raised), 'raised');
  }
  return problems.all.length === 0
    ? { record: value as unknown as ShiftRecord }
    : { problem: textOf(problems) };
}

function checkEnded(problems: Problems, ended: unknown): void {
  const { at, verdict: how, live } = isPlainObject(ended) ? ended : {};
  problems.check('ended.at', at, moment);
  problems.check('ended.verdict', how, verdict);
  if (live !== null) {
    problems.check('ended.live', live, weights);
  }
}

function between(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function textOf(problems: Problems): string {
  return problems.all.map(formatProblem).join('; ');
}

/**
 * An annotation holds so much, and a parameter of SSM less.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/
 */
const longestText = 262_144;

/** A record has four levels. What is deeper could be read, but not be written again: `JSON.stringify` recurses. */
const deepest = 20;

function isWithin(value: unknown, levels: number): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1)))
  );
}

function parsed(text: string | undefined): unknown {
  if (text !== undefined && text.length > longestText) {
    return undefined;
  }
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
