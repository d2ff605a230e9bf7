import { list, object, optional, record } from '../../core/validation/collections';
import { fits, flag, number, oneOf, orNull, text, whole } from '../../core/validation/values';
import type { Schema } from '../../core/validation/schema';
import type {
  ApprovalRecord,
  CheckRecord,
  Figure,
  FigureCounts,
  LogRecord,
  ShiftOutcome,
  Weights,
  WriteRecord,
} from '../engine';

/** Where a kept shift comes from. */
export interface ShiftOrigin {
  /** Its name in a history: `20260102t030405z-web-1f0c9a3b`. */
  readonly id: string;
  /** The plan file as it was given, or what a program has shifted. */
  readonly plan: string;
  /** Name of the route in its plan. */
  readonly route: string;
  /** Name of the fleet. @default - the plan does not say it */
  readonly fleet?: string;
  /** Who ran it: user and machine. */
  readonly by: string;
}

/** A moment as `toISOString` writes it. */
const time = fits({
  allowed: 'a time such as "2026-01-02T03:04:05.000Z"',
  accepts: (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value) &&
    Number.isFinite(Date.parse(value)),
});

/** In characters: reasons quote what others have said. */
const longestLine = 100_000;

const name = text('a text of 1 to 300 characters', /./s, 300);
const line = text('a text of at most 100,000 characters', undefined, longestLine);
const weights: Schema<Weights> = record(whole(0, 100), name);
const numbers = record(number('a number'), name);
const valueOrNull = orNull<number | null>(number('a number'));

const figure = object<Figure>(
  {
    name,
    slot: optional(name),
    value: valueOrNull,
    unit: optional(oneOf('share', 'count', 'seconds', 'perSecond')),
    min: optional(number('a number')),
    max: optional(number('a number')),
    failed: optional(flag),
    counts: optional(
      object<FigureCounts>(
        { counted: number('a number'), of: number('a number'), what: line, cause: optional(line) },
        'counts: { counted, of, what }',
        'any',
      ),
    ),
    beside: optional(
      object<NonNullable<Figure['beside']>>(
        { slots: list(name), value: valueOrNull },
        'the figure of others: { slots, value }',
        'any',
      ),
    ),
  },
  'a figure: { name, value }',
  'any',
);

const check = object<CheckRecord>(
  {
    at: time,
    name,
    stage: oneOf('before', 'after'),
    status: oneOf('pass', 'fail', 'inconclusive'),
    reason: line,
    figures: list(figure),
    upTo: optional(numbers),
    baseline: optional(numbers),
    holds: optional(flag),
    rollbackNote: optional(line),
  },
  'the answer of a check',
  'any',
);

/** Where a kept shift comes from. */
export const originSchema: Schema<ShiftOrigin> = object<ShiftOrigin>(
  { id: name, plan: line, route: name, fleet: optional(name), by: line },
  'where it comes from: { id, plan, route, by }',
  'any',
);

/** An outcome as it is stored; further keys of a newer release are not looked at. */
export const outcomeSchema: Schema<Omit<ShiftOutcome, 'schemaVersion'>> = object<
  Omit<ShiftOutcome, 'schemaVersion'>
>(
  {
    verdict: oneOf('completed', 'rolledBack', 'held', 'aborted'),
    reason: line,
    failed: optional(list(name)),
    from: orNull<Weights | null>(weights),
    to: weights,
    final: orNull<Weights | null>(weights),
    pausedAt: optional(whole(0, 99)),
    noRecord: optional(flag),
    leaseProblem: optional(line),
    capacityProblem: optional(line),
    approvals: optional(
      list(
        object<ApprovalRecord>(
          { place: number('percent'), by: line, at: time },
          'an approval: { place, by, at }',
          'any',
        ),
      ),
    ),
    startedAt: time,
    endedAt: time,
    writes: list(
      object<WriteRecord>({ at: time, weights, rollback: optional(flag) }, 'a write: { at, weights }', 'any'),
    ),
    checks: list(check),
    log: list(object<LogRecord>({ at: time, text: line }, 'a line of the log: { at, text }', 'any')),
  },
  'the outcome of a shift, as `cluster-canary shift --json` prints it',
  'any',
);
