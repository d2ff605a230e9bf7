import { parseDuration } from '../../core/durations';
import type { ProgramEnd } from '../../core/process/run-program';
import { across, optional } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import { hidden } from '../../core/validation/schema';
import { plainSecrets } from '../../core/validation/secrets';
import { oneOf, text } from '../../core/validation/values';
import { SourceError } from '../engine';
import type {
  Check,
  CheckResult,
  CheckStage,
  CheckStatus,
  CheckWindow,
  Figure,
  ShiftSubject,
  Weights,
} from '../engine';
import { slotsToEvaluate } from '../evaluation';
import type { CheckContext } from './check-context';
import { checkArgs, checkKind } from './check-kind';
import type { CommonCheckArgs } from './check-kind';
import { listOf, timeSpan } from './shared/schemas';

/**
 * What a program learns about the step, as environment variables:
 *
 * | variable | example |
 * |---|---|
 * | `CLUSTER_CANARY_STAGE` | `before` or `after` |
 * | `CLUSTER_CANARY_FROM`, `CLUSTER_CANARY_TO` | the window, as `2026-01-31T12:00:00.000Z` |
 * | `CLUSTER_CANARY_SLOTS` | slots that gain weight: `green` |
 * | `CLUSTER_CANARY_LIVE` | weights that stand: `blue=90,green=10` |
 * | `CLUSTER_CANARY_NEXT` | weights that are about to be written; empty in the stage `after` |
 * | `CLUSTER_CANARY_ORIGIN`, `CLUSTER_CANARY_WANTED` | weights that the shift begins and ends at |
 */
export function programEnvironment(window: CheckWindow): Readonly<Record<string, string>> {
  return {
    CLUSTER_CANARY_STAGE: window.stage,
    CLUSTER_CANARY_FROM: new Date(window.from).toISOString(),
    CLUSTER_CANARY_TO: new Date(window.to).toISOString(),
    CLUSTER_CANARY_SLOTS: slotsToEvaluate(window).join(','),
    CLUSTER_CANARY_LIVE: weightsText(window.live),
    CLUSTER_CANARY_NEXT: window.next ? weightsText(window.next) : '',
    CLUSTER_CANARY_ORIGIN: weightsText(window.origin),
    CLUSTER_CANARY_WANTED: weightsText(window.wanted),
  };
}

/** The same as one JSON document for stdin, with the window whole (times in milliseconds since 1970) and the subject. */
function programInput(window: CheckWindow, subject: ShiftSubject): string {
  return `${JSON.stringify({ schemaVersion: 1, window, evaluated: slotsToEvaluate(window), subject })}\n`;
}

function weightsText(weights: Weights): string {
  return Object.entries(weights)
    .map(([slot, weight]) => `${slot}=${weight}`)
    .join(',');
}

/** What a program says for itself on stdout. */
export interface ProgramOutput {
  /** One line. */
  readonly reason?: string;
  readonly figures: readonly Figure[];
  /** Names of figures with a bound that have no value to hold against it. @default - none */
  readonly unknown?: readonly string[];
}

/** A report has room for some figures and one line. */
const mostFigures = 50;

const longestText = 200;

const units: readonly unknown[] = ['share', 'count', 'seconds', 'perSecond'];

/**
 * Reads `{ "reason": "…", "figures": [{ "name": "queue", "slot": "green", "value": 3, "max": 10 }] }`, where everything but
 * a figure's name and value may be left out. Other output, and entries of another form, say nothing: the exit status
 * decides, and text that nobody has asked for may hold secrets. A figure with a bound and without a value that can be held
 * against it is named: `null`, text, and the `NaN` and `Infinity` that some languages write for JSON.
 */
export function readProgramOutput(text: string): ProgramOutput {
  let content: unknown;
  try {
    content = JSON.parse(withoutBareWords(text));
  } catch {
    return { figures: [] };
  }
  const { reason, figures } = (isPlainObject(content) ? content : {}) as {
    reason?: unknown;
    figures?: unknown;
  };
  const list: readonly unknown[] = Array.isArray(figures) ? figures : [];
  const unknown = list.flatMap(unknownIn);
  return {
    ...(typeof reason === 'string' && reason.trim() !== '' ? { reason: line(reason) } : {}),
    figures: list.slice(0, mostFigures).flatMap(figureOf),
    ...(unknown.length > 0 ? { unknown } : {}),
  };
}

/** As Python's `json` writes what is no finite number. Such a word within a text is left as it is. */
function withoutBareWords(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"?|-?\bInfinity\b|\bNaN\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  );
}

function unknownIn(entry: unknown): readonly string[] {
  if (!isPlainObject(entry) || typeof entry.name !== 'string' || isNumber(entry.value)) {
    return [];
  }
  return isNumber(entry.min) || isNumber(entry.max) ? [line(entry.name)] : [];
}

function figureOf(entry: unknown): Figure[] {
  if (!isPlainObject(entry) || typeof entry.name !== 'string' || !isValue(entry.value)) {
    return [];
  }
  const { name, slot, value, unit, min, max } = entry;
  return [
    {
      name: line(name),
      value: value as number | null,
      ...(typeof slot === 'string' ? { slot: line(slot) } : {}),
      ...(units.includes(unit) ? { unit: unit as Figure['unit'] & string } : {}),
      ...(isNumber(min) ? { min } : {}),
      ...(isNumber(max) ? { max } : {}),
    },
  ];
}

function line(text: string): string {
  const short = text.replace(/\s+/g, ' ').trim();
  return short.length > longestText ? `${short.slice(0, longestText - 1)}…` : short;
}

function isValue(value: unknown): boolean {
  return value === null || isNumber(value);
}

/** JSON has no other numbers, but `1e999` is read as infinity. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** What {@link program} takes. */
export interface ProgramArgs extends CommonCheckArgs {
  /** Name or path of the program, then its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** It is ended when it takes longer. @default '1m' */
  readonly timeout?: string;
  /** When it runs: before the weights of a step are written, after they have stood for a while, or both. @default ['after'] */
  readonly stages?: readonly CheckStage[];
}

const defaultTimeout = '1m';

/** More than a check's figures ever take, in bytes; the rest is thrown away. */
const longestOutput = 100_000;

/** How long a program that has to end may clean up, in milliseconds; an interrupted `up` leaves three seconds. */
const grace = 1_000;

/**
 * The exit status of a program: 0 passes, 1 fails, 2 is inconclusive. A pass beside a figure that has a bound and no number
 * is inconclusive, too. Any other status, a time-out, and a program that
 * can't be started are failures of the source and say nothing about the cluster.
 *
 * It learns about the step from variables (see {@link programEnvironment}) and from a JSON document on stdin, and may
 * write figures as JSON to stdout (`docs/checks.md` has their form). It has the environment of this process, with whatever
 * credentials that holds. An interrupt of the shift ends it, and all that it has started.
 */
export const program = checkKind('program', {
  asks: "A program's exit status",
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: across(
    checkArgs<ProgramArgs>({
      command: listOf(text('text', /^[^\0]*$/)),
      timeout: optional(timeSpan),
      stages: optional(listOf(oneOf('before', 'after'))),
    }),
    ({ command }, { mustBe }) => {
      const words: readonly unknown[] = Array.isArray(command) ? command : [];
      if (words[0] === '') {
        mustBe(['command', 0], 'the name or path of a program');
      }
      if (words.every((word) => typeof word === 'string')) {
        const allowed =
          'a text without a login or a secret in it: the program has the environment of this process';
        plainSecrets(words).forEach((position) => mustBe(['command', position], allowed, hidden));
      }
    },
  ),
  create: (name, settings, context): Check => ({
    name,
    stages: settings.stages ?? ['after'],
    evaluate: (window, signal) => evaluate(settings, context, window, signal),
  }),
});

async function evaluate(
  settings: ProgramArgs,
  { subject, env, runProgram }: CheckContext,
  window: CheckWindow,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const [called = '', ...args] = settings.command;
  const timeout = settings.timeout ?? defaultTimeout;
  const end = await runProgram({
    program: called,
    args,
    env: { ...env, ...programEnvironment(window) },
    input: programInput(window, subject),
    timeoutMs: parseDuration(timeout)!,
    graceMs: grace,
    stdout: { bytes: longestOutput, beyond: 'keepStart' },
    // It may be long, and is of no use here.
    stderr: { bytes: 0, beyond: 'keepStart' },
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  const status = end.how === 'exited' ? statuses.get(end.status) : undefined;
  if (end.how !== 'exited' || status === undefined) {
    throw new SourceError(`program "${called}" ${failureOf(end, timeout)}`);
  }
  const { reason, figures, unknown = [] } = readProgramOutput(end.stdout.toString('utf8'));
  if (status === 'pass' && unknown.length > 0) {
    const named = unknown.slice(0, 3).join(', ');
    return {
      status: 'inconclusive',
      reason: `program "${called}" passes, but these have a bound and no number: ${named}`,
      figures,
    };
  }
  return { status, reason: reason ?? `program "${called}" ended with status ${end.status}`, figures };
}

function failureOf(end: ProgramEnd, timeout: string): string {
  switch (end.how) {
    case 'notStarted':
      return `could not be started: ${end.code}`;
    case 'timedOut':
      return `did not end within ${timeout}`;
    case 'cancelled':
    case 'tooMuch':
    case 'exited':
    case 'signalled':
      return `ended with ${end.how === 'exited' ? `status ${end.status}` : 'a signal'}; 0 passes, 1 fails, 2 is inconclusive`;
  }
}

const statuses: ReadonlyMap<number, CheckStatus> = new Map([
  [0, 'pass'],
  [1, 'fail'],
  [2, 'inconclusive'],
]);
