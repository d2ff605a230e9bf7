import { parseDuration } from '../../../core/durations';
import { object, optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import type { Problem } from '../../../core/validation/problems';
import { duration, number, oneOf } from '../../../core/validation/values';
import type { ShiftSubject } from '../../engine';
import type { ComparisonCheckSettings, OnNoData, RegressionBound, ShareSettings } from '../../evaluation';
import type { CommonCheckArgs } from '../check-kind';
import { finiteNumber, line, listOf, timeSpan } from './schemas';

/** What every check on metrics takes. Durations are text as Go reads it: `30s`, `5m`. */
export interface MetricCheck extends CommonCheckArgs {
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

/** What a check takes that evaluates the figures since the weights changed. */
export interface RecentFigures {
  /** How far back it looks, but never beyond the last change of the weights. @default '5m' */
  readonly over?: string;
  /** Slots that are evaluated, while they have weight. @default - those that gain weight; all if none does */
  readonly slots?: readonly string[];
}

/** 0 is a bound, too: not one may fail. */
const shareBound = number('a share from 0 up to, but not, 1: 0.01 is one of a hundred', { min: 0, below: 1 });

/** Schemas of {@link MetricCheck}. */
export const metricEntries = {
  minRequests: optional(number('a whole number, 1 or more', { min: 1, whole: true })),
  onNoData: optional(oneOf('inconclusive', 'fail', 'pass')),
};

/** Schemas of {@link SilentQuery}. */
export const silentEntries = { missing: optional(oneOf('inconclusive', 'zero')) };

/** Schemas of {@link RecentFigures}. */
export const recentEntries = { over: optional(timeSpan), slots: optional(listOf(line)) };

/** Schemas of bounds, of which {@link checkBounds} wants one. */
export const boundsEntries = { min: optional(finiteNumber), max: optional(finiteNumber) };

/** One bound has to be there: a JSON Schema's way to say it. */
export const boundsJson = { anyOf: [{ required: ['min'] }, { required: ['max'] }] };

/** A problem for each slot that there is not. */
export function metricSlotProblems(slots: unknown, subject: ShiftSubject): readonly Problem[] {
  const known = Object.keys(subject.slots);
  return (Array.isArray(slots) ? (slots as readonly unknown[]) : []).flatMap((slot, index): Problem[] =>
    typeof slot === 'string' && !known.includes(slot)
      ? [{ path: `slots[${index}]`, value: slot, allowed: `one of the slots: ${known.join(', ')}` }]
      : [],
  );
}

/** Objects where there is no bound, or where the lower one is above the upper one. */
export function checkBounds({ min, max }: { min?: unknown; max?: unknown }, { mustBe }: Objections): void {
  if (min === undefined && max === undefined) {
    mustBe(['max'], 'there, or "min": a check without a bound says nothing');
  }
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    mustBe(['min'], `at most "max", which is ${max}`);
  }
}

/** Milliseconds of a duration that was checked; undefined for none. */
export function milliseconds(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDuration(duration);
}

/** What checks on metrics take where their settings don't say; times in milliseconds. Each setting has its reason. */
export const metricDefaults = {
  /** How far back a check looks. */
  overMs: 300_000,
  /** How long weights stand before a query of a user is asked first. */
  settleMs: 60_000,
  /** From one point of a range of Prometheus to the next. */
  stepMs: 15_000,
  /** How long before the shift a comparison looks at the old slots' figures. */
  historyMs: 1_800_000,
  /** How far back is looked, before the first step, for figures that a query has ever given. */
  seenMs: 1_800_000,
} as const;

/** How a source counts requests where the settings of a check don't say; times in milliseconds. */
export interface CountingTimes {
  /** Length of a period of a bound for a share. */
  readonly sharePeriodMs: number;
  /** Length of a period of a comparison, whose method was measured with bursts of a minute. */
  readonly comparisonPeriodMs: number;
  /** From the end of a period until its figures are taken. */
  readonly delayMs: number;
}

/**
 * Elastic Load Balancing reports by the minute. The newest minute of an ALB is incomplete for up to two minutes.
 *
 * @see https://github.com/Netflix/atlas/pull/1300
 * @see https://github.com/grafana/alloy/pull/6518
 */
export const cloudWatchTimes: CountingTimes = {
  sharePeriodMs: 60_000,
  comparisonPeriodMs: 60_000,
  delayMs: 120_000,
};

/**
 * 20 seconds are what Datadog's API takes for the last hour by itself. Its Agent sends what it has counted every 10
 * seconds; as long again for the way there, and once more to spare.
 *
 * @see https://docs.datadoghq.com/dashboards/functions/rollup/
 * @see https://docs.datadoghq.com/extend/dogstatsd/data_aggregation
 */
export const datadogTimes: CountingTimes = {
  sharePeriodMs: 20_000,
  comparisonPeriodMs: 60_000,
  delayMs: 30_000,
};

/**
 * A minute holds two scrapes of the usual 30 seconds, which `increase` needs. A scrape is there when it has ended, 10
 * seconds after its time at most (`scrape_timeout`); 5 seconds are to spare, for a remote write.
 *
 * @see https://prometheus.io/docs/prometheus/latest/configuration/configuration/
 */
export const prometheusTimes: CountingTimes = {
  sharePeriodMs: 60_000,
  comparisonPeriodMs: 60_000,
  delayMs: 15_000,
};

/** A proxy counts a request when it has ended: what belongs to a period is there at its end. */
export const httpProxyTimes: Pick<CountingTimes, 'comparisonPeriodMs' | 'delayMs'> = {
  comparisonPeriodMs: 60_000,
  delayMs: 0,
};

/** A bound for a share of requests, whatever counts them. */
export interface ShareArgs extends MetricCheck, RecentFigures {
  /** It fails above this share: 0.01 is one request of a hundred. */
  readonly max: number;
  /** @default 100 - with 1 %, one failed request decides nothing yet */
  readonly minRequests?: number;
}

/** A comparison of the slots that gain weight with the others, whatever counts requests. */
export interface ComparisonArgs extends MetricCheck {
  /**
   * Chance of a false alarm in a whole shift, above 0 and below 0.5, over all slots and all that is counted.
   *
   * @default 0.01 - a plan has several checks, and each spends a chance of its own
   */
  readonly alpha?: number;
  /**
   * The smallest regression that matters: a difference up to here is none, and both have to be exceeded.
   *
   * @default - `{ absolute: 0.002, ratio: 1.2 }`: 0.2 percentage points and a fifth more than the old slots
   */
  readonly regression?: Partial<RegressionBound>;
  /** @default 50 - an outage is found with far fewer; a pass is not worth much with fewer */
  readonly minRequests?: number;
  /**
   * Time from a slot's first traffic on in which it is cold: slow requests don't count, and errors only where half of
   * the requests fail.
   *
   * @default '1m'
   */
  readonly warmUp?: string;
  /** How long before the shift the old slots' figures are looked at, to learn how much they vary. @default '30m' */
  readonly history?: string;
}

/** Schemas of {@link ShareArgs}. */
export const shareEntries = { ...metricEntries, ...recentEntries, max: shareBound };

/** Schemas of {@link ComparisonArgs}. */
export const comparisonEntries = {
  ...metricEntries,
  alpha: optional(number('a chance above 0 and below 0.5', { above: 0, below: 0.5 })),
  regression: optional(
    object<Partial<RegressionBound>>(
      {
        absolute: optional(shareBound),
        ratio: optional(number('a number, 1 or more: 1.2 is a fifth more than the old slots', { min: 1 })),
      },
      '{ absolute, ratio }, one of them or both',
    ),
  ),
  warmUp: optional(duration),
  history: optional(timeSpan),
};

/** The settings in the words of the pure evaluation. */
export function shareCheckSettings(args: ShareArgs, counted: ShareSettings['counted']): ShareSettings {
  return {
    counted,
    max: args.max,
    minRequests: args.minRequests,
    onNoData: args.onNoData,
    overMs: milliseconds(args.over),
    slots: args.slots,
  };
}

/** The settings in the words of the pure evaluation. */
export function comparisonSettings(
  args: ComparisonArgs,
  counted: ComparisonCheckSettings['counted'],
): ComparisonCheckSettings & { readonly historyMs?: number } {
  return {
    counted,
    alpha: args.alpha,
    regression: args.regression,
    minRequests: args.minRequests,
    onNoData: args.onNoData,
    warmUpMs: milliseconds(args.warmUp),
    historyMs: milliseconds(args.history),
  };
}
