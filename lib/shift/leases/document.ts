import { createHash, randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { parameterJson } from '../../core/aws/parameter-text';
import { opaque } from '../../core/validation/arguments';
import { optional } from '../../core/validation/collections';
import { Problems, formatProblem, isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { number, text } from '../../core/validation/values';
import { LeaseTaken, NewerLease } from '../engine';
import type { LeaseContent } from '../engine';
import type { RecordKind } from './record-kind';

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
export function currentHolder(
  document: Pick<LeaseDocument<object>, 'holder' | 'expiresAt'> | undefined,
  now: number,
): string | undefined {
  const lasts = (document?.expiresAt ?? 0) - now;
  return lasts > 0 && lasts <= longestDuration ? document?.holder : undefined;
}

/** A holder whose name is not known any more. */
export const someone = 'another process';

/** A Lease may name its holder in a megabyte. */
const longestShown = 1_000;

/** The error for a lease that somebody else holds. */
export function leaseTaken(
  { another }: Pick<RecordKind<object>, 'another'>,
  name: string,
  holder: string,
  expiresAt: number,
): LeaseTaken {
  const until =
    expiresAt > 0 ? `; its lease ends at ${new Date(expiresAt).toISOString()} unless it goes on` : '';
  const shown = holder.length > longestShown ? `${holder.slice(0, longestShown)}...` : holder;
  return new LeaseTaken(`${name}: ${another} has the lease: ${shown}${until}`, shown, expiresAt);
}

/** The error for a lease that was taken away; undefined where the newest record says nothing of it. */
export function leaseSeized<R extends object>(
  kind: RecordKind<R>,
  name: string,
  record: R | undefined,
): LeaseTaken | undefined {
  const seized = record && kind.seizedBy?.(record);
  return seized && new LeaseTaken(`${name}: ${seized.why}`, seized.by, 0);
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
export interface LeaseDocument<R> extends LeaseContent<R> {
  /** Who holds it; unset once it was given back. */
  readonly holder?: string;
  /** When it expires. */
  readonly expiresAt: number;
  /** What is stored in the place of a record and is none: a person may still patch it. @default - nothing */
  readonly unreadable?: unknown;
  /** Versions of the further parameters that hold the long part of the record. @default - it is in the record */
  readonly raisedIn?: readonly number[];
}

/** The document as a parameter of SSM holds it. */
export function leaseText<R extends object>(
  { schemaVersion }: Pick<RecordKind<R>, 'schemaVersion'>,
  document: Omit<LeaseDocument<R>, 'problem'>,
): string {
  const { holder, expiresAt, record, unreadable, raisedIn } = document;
  return parameterJson(
    JSON.stringify({
      schemaVersion,
      ...(holder !== undefined && { holder }),
      expiresAt,
      ...(record ? { record } : unreadable === undefined ? {} : { record: unreadable }),
      ...(raisedIn && { raisedIn }),
    }),
  );
}

/**
 * A stored document. What can't be read is no one's and holds no record: `problem` says why.
 *
 * @param name of the lease, for the error
 * @throws NewerLease for a document of a newer release
 */
export function readLease<R extends object>(
  kind: RecordKind<R>,
  name: string,
  text: string | undefined,
): LeaseDocument<R> {
  const value = parsed(text);
  refuseNewer(kind, name, value);
  const problems = new Problems('lease');
  if (!isPlainObject(value) || !isVersion(kind, value['schemaVersion'])) {
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
    ...(record === undefined ? {} : withUnreadable(readRecord(kind, record), record)),
    ...(raisedIn !== undefined && { raisedIn: raisedIn as readonly number[] }),
  };
}

function withUnreadable<R>(content: LeaseContent<R>, value: unknown): Omit<LeaseDocument<R>, 'expiresAt'> {
  return content.record ? content : { ...content, ...leftFor(value) };
}

/** A standard parameter holds 4 KB: what is longer, or nested too deep to be written again, can't be kept beside a holder. */
const longestKept = 3_000;

function leftFor(value: unknown): Pick<LeaseDocument<object>, 'unreadable'> {
  const isKept =
    value !== undefined &&
    value !== '' &&
    isWithin(value, deepest) &&
    Buffer.byteLength(JSON.stringify(value)) <= longestKept;
  return isKept ? { unreadable: value } : {};
}

/** The record as it is stored where holder and times have fields of their own. */
export function recordText<R extends object>(
  { schemaVersion }: Pick<RecordKind<R>, 'schemaVersion'>,
  record: R,
): string {
  return JSON.stringify({ schemaVersion, ...record });
}

/**
 * A record that was stored by {@link recordText}.
 *
 * @throws NewerLease for one of a newer release
 */
export function readRecordText<R extends object>(
  kind: RecordKind<R>,
  name: string,
  text: string | undefined,
): LeaseContent<R> {
  if (text === undefined) {
    return {};
  }
  const value = parsed(text);
  refuseNewer(kind, name, value);
  if (!isPlainObject(value)) {
    return { problem: `it is no record of a ${kind.of}` };
  }
  // The first version had no number here.
  const { schemaVersion: _version, ...record } = value;
  return readRecord(kind, record);
}

/**
 * A stored record. What can't be read is none: `problem` says why. What else a newer release may have written there stays.
 */
export function readRecord<R extends object>(kind: RecordKind<R>, value: unknown): LeaseContent<R> {
  if (!isPlainObject(value)) {
    return { problem: `its record is no record of a ${kind.of}` };
  }
  if (!isWithin(value, deepest)) {
    return { problem: `its record is nested more than ${deepest} levels deep` };
  }
  const problems = new Problems('record');
  kind.check(value, problems);
  return problems.all.length === 0 ? { record: value as R } : { problem: textOf(problems) };
}

function isVersion({ schemaVersion }: Pick<RecordKind<object>, 'schemaVersion'>, value: unknown): boolean {
  return Number.isInteger(value) && between(value as number, 1, schemaVersion);
}

function refuseNewer(
  { of, schemaVersion }: Pick<RecordKind<object>, 'of' | 'schemaVersion'>,
  name: string,
  value: unknown,
): void {
  const version = isPlainObject(value) ? value['schemaVersion'] : undefined;
  if (typeof version === 'number' && version > schemaVersion) {
    throw new NewerLease(name, version, schemaVersion, of);
  }
}

/** What a `Date` can hold: anything else is no time, and could not be shown as one. */
const latestTime = 8.64e15;

/** A moment, in milliseconds since 1970. */
export const moment: Format = {
  allowed: 'milliseconds since 1970',
  accepts: (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= latestTime,
};

/** A name of who holds a lease, say. */
export const shortText: Format = {
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

/** Whether a number is within bounds, both included. */
export function between(value: number, least: number, most: number): boolean {
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

/** Records have a few levels. What is deeper could be read, but not be written again: `JSON.stringify` recurses. */
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
