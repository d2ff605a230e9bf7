import { createHash } from 'node:crypto';
import { oneLine } from '../../core/printable-text';
import { formatProblem, isPlainObject } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { ShiftOutcome } from '../engine';
import { originSchema, outcomeSchema } from './outcome-schema';
import type { ShiftOrigin } from './outcome-schema';

/** The outcome of a shift as a history keeps it: what `cluster-canary shift --json` prints, and where it comes from. */
export interface KeptShift extends ShiftOutcome {
  /** Where it comes from. */
  readonly run: ShiftOrigin;
}

/** The longest document that is kept and read, in bytes: a check that answers every 15 s for a day writes 4 MB. */
export const longestShift = 32 * 2 ** 20;

const schemaVersion = 1;

/** What a name in a history looks like: its time comes first, so that names are in the order of time. */
export const shiftIdForm = /^\d{8}t\d{6}z-[a-z0-9-]{1,50}-[0-9a-f]{8}$/;

/**
 * The name of a run in a history, the same whenever it is kept: `20260102t030405z-web-1f0c9a3b`. A shift that was killed or
 * waited for a person goes on in another run, which has a name of its own.
 *
 * @param routerId what is shifted
 */
export function shiftId(
  route: string,
  routerId: string,
  { startedAt }: Pick<ShiftOutcome, 'startedAt'>,
): string {
  const time = startedAt.toLowerCase().replace(/\.\d+|[-:]/g, '');
  const words = route
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(`${routerId}\n${startedAt}`).digest('hex').slice(0, 8);
  return `${time}-${words || 'shift'}-${hash}`;
}

/** Whether there is something to keep: a run that could not read the live weights, or was to roll back nothing, did nothing. */
export function isWorthKeeping({ from, writes, noRecord }: ShiftOutcome): boolean {
  return noRecord !== true && (from !== null || writes.length > 0);
}

/** The document of a kept shift. */
export function keptText({ schemaVersion: version, run, ...outcome }: KeptShift): string {
  return `${JSON.stringify({ schemaVersion: version, run, ...outcome }, null, 1)}\n`;
}

/** One route's outcome in a document. */
export interface ReadShift {
  /** The outcome. */
  readonly outcome: ShiftOutcome;
  /** Where it comes from. @default - the document was not written by a history */
  readonly run?: ShiftOrigin;
  /** Name of the route. @default - a document for one route does not say it */
  readonly route?: string;
}

/**
 * The outcomes of a document: of a kept shift, of `cluster-canary shift --json` for one route or several in waves, or of a demo.
 * Whatever the text is, the answer is outcomes or a line that says why there are none.
 *
 * @param place where it is from, for that line
 */
export function readShifts(place: string, text: string): readonly ReadShift[] | string {
  const value = parsed(text);
  if (!isPlainObject(value)) {
    return oneLine(`${place}: is not a JSON object`);
  }
  const { schemaVersion: version, shifts, shift } = value;
  if (typeof version === 'number' && version > schemaVersion) {
    return oneLine(
      `${place}: a newer release of cluster-canary wrote it (schemaVersion ${version}; this release reads up to ${schemaVersion})`,
    );
  }
  if (version !== schemaVersion) {
    return oneLine(`${place}: it is no outcome of a shift: it has no schemaVersion`);
  }
  if (!isPlainObject(shifts)) {
    // A demo has the outcome of its shift beside what its visitors met.
    const found = readOne(place, isPlainObject(shift) ? shift : value);
    return typeof found === 'string' ? found : [found];
  }
  const found = Object.entries(shifts)
    .filter(([, each]) => each !== null)
    .map(([route, each]) => [route, readOne(`${place}: ${route}`, each)] as const);
  const wrong = found.map(([, each]) => each).find((each) => typeof each === 'string');
  return wrong ?? found.map(([route, each]) => ({ ...(each as ReadShift), route }));
}

/** A kept shift, or a line that says why it is none. */
export function readKept(place: string, text: string): KeptShift | string {
  const found = readShifts(place, text);
  if (typeof found === 'string') {
    return found;
  }
  const [only] = found;
  return only?.run && only.route === only.run.route
    ? { ...only.outcome, run: only.run }
    : oneLine(`${place}: it does not say where it comes from: "run" is missing`);
}

/** Of one document: what comes after them says no more. */
const mostProblems = 3;

function readOne(place: string, value: unknown): ReadShift | string {
  const { run } = isPlainObject(value) ? value : {};
  const problems = [
    ...problemsOf(outcomeSchema, value),
    ...(run === undefined ? [] : problemsOf(originSchema, run)),
  ];
  if (problems.length > 0) {
    const texts = problems.slice(0, mostProblems).map(formatProblem);
    return oneLine(`${place}: it is no outcome of a shift: ${texts.join('; ')}`);
  }
  const { run: origin, ...outcome } = value as KeptShift;
  return { outcome, ...(run !== undefined && { run: origin, route: origin.route }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
