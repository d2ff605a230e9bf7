import { shiftStatusAnnotation } from '../../core/names';
import { oneLine } from '../../core/printable-text';
import { list, object, optional, record } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { problemsOf } from '../../core/validation/schema';
import { number, oneOf, orNull, text, whole } from '../../core/validation/values';
import type {
  ApprovalRecord,
  CheckRecord,
  ShiftActivity,
  ShiftOutcome,
  ShiftProgress,
  Verdict,
} from '../engine';
import type { RecordKind } from '../leases';

/** Where a shift is, as another machine reads it. Times are milliseconds since 1970. */
export interface ShiftStatus {
  /** The last that was known. Checks have no figures: a parameter of SSM holds 4 KB. */
  readonly progress: ShiftProgress;
  /** How it ended. @default - it runs, or was killed */
  readonly ended?: ShiftStatusEnd;
  /** What a watcher that joins late would not know. @default - the run is of an earlier release */
  readonly soFar?: ShiftStatusSoFar;
}

/** What a run has done by then. Times are milliseconds since 1970. */
export interface ShiftStatusSoFar {
  /** How often it has written weights. */
  readonly writes: number;
  /** When it wrote them last. @default - it has not */
  readonly writtenAt?: number;
  /** Since when it waits for a person. @default - it does not */
  readonly pausedSince?: number;
}

/** The end of a shift that is watched. */
export interface ShiftStatusEnd {
  /** How it ended, in a word. */
  readonly verdict: Verdict;
  /** One or more lines for a person. */
  readonly reason: string;
}

/** What is kept of an answer of a check. */
type StatusCheck = Pick<CheckRecord, 'name' | 'at' | 'stage' | 'status' | 'reason' | 'figures'>;

const mostChecks = 8;

/** In characters. */
const longest = { reason: 160, end: 600, name: 100 };

const weights = record(whole(0, 100));
const time = number('milliseconds since 1970', { min: 0, max: 8.64e15 });
const moment = text('a time in ISO 8601', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 30);
const short = text('a text of at most 1,000 characters', undefined, 1_000);
const verdict = oneOf<Verdict>('completed', 'rolledBack', 'held', 'aborted');
const activities: readonly ShiftActivity[] = [
  ...(['starting', 'preparing', 'writing', 'standing', 'baking', 'paused', 'rollingBack', 'ending'] as const),
];

const statusSchema: Schema<ShiftStatus> = object<ShiftStatus>(
  {
    progress: object<ShiftProgress>(
      {
        at: time,
        activity: oneOf(...activities),
        step: whole(0, 10_000),
        steps: whole(0, 10_000),
        weights: orNull<ShiftProgress['weights']>(weights),
        from: orNull<ShiftProgress['from']>(weights),
        wanted: weights,
        rollbackReason: orNull<string | null>(short),
        checks: list(
          object<StatusCheck>(
            {
              ...{ name: short, at: moment, reason: short },
              stage: oneOf('before', 'after'),
              status: oneOf('pass', 'fail', 'inconclusive'),
              figures: list(object<never>({} as never, 'no figure', 'any')) as Schema as Schema<
                CheckRecord['figures']
              >,
            },
            'the answer of a check',
            'any',
          ) as Schema as Schema<CheckRecord>,
        ),
        standsUntil: orNull<number | null>(time),
        endsAt: orNull<number | null>(time),
        pausedAt: orNull<number | null>(whole(0, 100)),
        heldBy: orNull<string | null>(short),
        approvals: list(
          object<ApprovalRecord>({ place: whole(0, 100), by: short, at: moment }, 'an approval', 'any'),
        ),
        startedAt: orNull<number | null>(time),
        verdict: orNull<Verdict | null>(verdict),
      },
      'where a shift is',
      'any',
    ),
    ended: optional(object<ShiftStatusEnd>({ verdict, reason: short }, 'an end', 'any')),
    soFar: optional(
      object<ShiftStatusSoFar>(
        { writes: whole(0, 1_000_000), writtenAt: optional(time), pausedSince: optional(time) },
        'what a run has done',
        'any',
      ),
    ),
  },
  'the status of a shift',
  'any',
);

/** Statuses of shifts, for the lease that keeps them. */
export const shiftStatusRecords: RecordKind<ShiftStatus> = {
  of: 'status',
  another: 'another run of this shift',
  schemaVersion: 1,
  description: 'Where a traffic shift is',
  annotation: shiftStatusAnnotation,
  // The name of what is kept begins with "shift" itself.
  prefix: '',
  check: (value, problems) => problems.addAll(problemsOf(statusSchema, value)),
  long: { read: 'the status', written: 'the status' },
};

/** What is written of a shift. */
export function statusOf(
  progress: ShiftProgress,
  outcome?: Pick<ShiftOutcome, 'verdict' | 'reason' | 'approvals'>,
  soFar?: ShiftStatusSoFar,
): ShiftStatus {
  const checks = progress.checks.slice(-mostChecks).map(({ name, at, stage, status, reason }) => ({
    ...{
      name: cut(name, longest.name),
      at,
      stage,
      status,
      reason: cut(oneLine(reason), longest.reason),
      figures: [],
    },
  }));
  const { rollbackReason } = progress;
  return {
    progress: {
      ...progress,
      checks,
      approvals: outcome?.approvals ?? progress.approvals,
      rollbackReason: rollbackReason === null ? null : cut(rollbackReason, longest.end),
    },
    ...(outcome && { ended: { verdict: outcome.verdict, reason: cut(outcome.reason, longest.end) } }),
    ...(soFar && { soFar }),
  };
}

function cut(value: string, most: number): string {
  return value.length > most ? `${value.slice(0, most - 1)}…` : value;
}

/** What another machine would not see: a status that differs in nothing else is not written. */
export function isSameStatus(one: ShiftStatus, other: ShiftStatus): boolean {
  return seen(one) === seen(other);
}

function seen({ progress: { at: _at, endsAt: _end, checks, ...progress }, ended }: ShiftStatus): string {
  return JSON.stringify([progress, ended, checks.map(({ name, status, reason }) => [name, status, reason])]);
}
