import { goDuration, parseDuration } from '../durations';
import type { Problems, Rule } from '../problems';
import { oneOf } from '../problems';
import type { OnNoData, ShiftSubject } from '../shift';
import { listOf, text, timeSpan } from './argument-rules';
import type { NamedCheck } from './check-kind';

/** What every check on metrics takes. Durations are text as Go reads it: `30s`, `5m`. */
export interface MetricCheck extends NamedCheck {
  /** Requests that a slot must have had; with fewer, {@link onNoData} says what that means. */
  readonly minRequests?: number;
  /**
   * What no figures, or too few requests, mean; a source that gives no answer is not meant. Until there are whole periods
   * of figures since the weights changed, a check is inconclusive in any case.
   *
   * @default 'inconclusive' - it is asked again, up to the plan's `inconclusiveLimit`, and fails then
   */
  readonly onNoData?: OnNoData;
}

/** What a check takes whose query may have no figure where there is nothing to count. */
export interface SilentQuery {
  /**
   * What it means that a query has no figure, while there are requests: `zero`, for a source that reports no zeros. A
   * figure that is no number or below zero is inconclusive in any case.
   *
   * @default 'inconclusive' - a query with a slip of the pen, and a metric that does not arrive, are as silent
   */
  readonly missing?: Missing;
}

/** What silence means. */
export type Missing = 'inconclusive' | 'zero';

/** What a check takes that judges the figures since the weights changed. */
export interface RecentFigures {
  /** How far back it looks, but never beyond the last change of the weights. @default '5m' */
  readonly over?: string;
  /** Slots that are judged, while they have weight. @default - those that gain weight; all if none does */
  readonly slots?: readonly string[];
}

export const finiteNumber: Rule = {
  allowed: 'a number',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value),
};

const requestNumber: Rule = {
  allowed: 'a whole number, 1 or more',
  accepts: (value) => Number.isInteger(value) && (value as number) >= 1,
};

/** 0 is a bound, too: not one may fail. */
export const shareBound: Rule = {
  allowed: 'a share from 0 up to, but not, 1: 0.01 is one of a hundred',
  accepts: (value) => typeof value === 'number' && value >= 0 && value < 1,
};

export const atLeastZero: Rule = {
  allowed: goDuration.allowed,
  accepts: (value) => goDuration.accepts(value),
};

export const metricRules: Readonly<Record<string, Rule>> = {
  minRequests: requestNumber,
  onNoData: oneOf('inconclusive', 'fail', 'pass'),
};

export const silentRules: Readonly<Record<string, Rule>> = { missing: oneOf('inconclusive', 'zero') };

export const recentRules: Readonly<Record<string, Rule>> = { over: timeSpan, slots: listOf(text) };

/** Adds a problem for each slot that there is not. */
export function checkSlots(problems: Problems, slots: unknown, subject: ShiftSubject): void {
  if (Array.isArray(slots)) {
    const known = Object.keys(subject.slots);
    slots.forEach((slot, index) => {
      if (typeof slot === 'string' && !known.includes(slot)) {
        problems.add(`slots[${index}]`, slot, `one of the slots: ${known.join(', ')}`);
      }
    });
  }
}

/** Adds a problem where there is no bound, or where the lower one is above the upper one. */
export function checkBounds(problems: Problems, { min, max }: { min?: unknown; max?: unknown }): void {
  if (min === undefined && max === undefined) {
    problems.add('max', undefined, 'there, or "min": a check without a bound says nothing');
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    problems.add('min', min, `at most "max", which is ${max}`);
  }
}

/** Adds a problem where the figures of a load balancer that sees no HTTP are asked for. */
export function checkSeesRequests(problems: Problems, kind: string, subject: ShiftSubject): void {
  if (subject.layer !== 'http') {
    const what = subject.layer === 'names' ? 'DNS' : 'an NLB';
    const other = kind.split('.')[1]!;
    problems.add(
      '',
      kind,
      `a check that counts requests elsewhere, datadog.${other} or prometheus.${other}: ${what} counts no HTTP requests`,
    );
  }
}

/** Milliseconds of a duration that was checked; undefined for none. */
export function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}
