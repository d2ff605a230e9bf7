import { parseDuration } from '../../../core/durations';
import { goDuration, oneOf } from '../../../core/validation/formats';
import { unknownKey } from '../../../core/validation/known-keys';
import { isMapping } from '../../../core/validation/problems';
import type { Problems, Rule } from '../../../core/validation/problems';
import type { ShiftSubject } from '../../engine';
import type { ComparisonCheckSettings, OnNoData, RegressionBound, ShareSettings } from '../../evaluation';
import type { NamedCheck } from '../check-kind';
import { listOf, text, timeSpan } from './arguments';

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
const shareBound: Rule = {
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

/** What checks on metrics take where their settings don't say; times in milliseconds. Each setting has its reason. */
export const metricDefaults = {
  /** How far back a check looks. */
  overMs: 300_000,
  /** How long weights stand before a query of a user is asked first. */
  settleMs: 60_000,
  /** From one point of a range of Prometheus to the next. */
  stepMs: 15_000,
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

/** How the source of a kind of check counts: `cloudWatch.errorShare`, `prometheus.comparison`. */
export function countingTimesOf(kind: string): CountingTimes & {
  /** Length of a period of this kind. */
  readonly periodMs: number;
} {
  const [source, what] = kind.split('.');
  const times =
    source === 'datadog' ? datadogTimes : source === 'prometheus' ? prometheusTimes : cloudWatchTimes;
  return { ...times, periodMs: what === 'comparison' ? times.comparisonPeriodMs : times.sharePeriodMs };
}

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

export const shareRules: Readonly<Record<string, Rule>> = { ...metricRules, ...recentRules, max: shareBound };

const alphaRule: Rule = {
  allowed: 'a chance above 0 and below 0.5',
  accepts: (value) => typeof value === 'number' && value > 0 && value < 0.5,
};

const regressionRule: Rule = {
  allowed: '{ absolute, ratio }, one of them or both',
  accepts: isMapping,
};

export const comparisonRules: Readonly<Record<string, Rule>> = {
  ...metricRules,
  alpha: alphaRule,
  regression: regressionRule,
  warmUp: atLeastZero,
  history: timeSpan,
};

/** Adds the problems within `regression`. */
export function checkRegression(problems: Problems, regression: unknown): void {
  if (!isMapping(regression)) {
    return;
  }
  for (const [key, value] of Object.entries(regression)) {
    const path = `regression.${key}`;
    if (key === 'absolute') {
      problems.check(path, value, shareBound);
    } else if (key === 'ratio') {
      const isRatio = finiteNumber.accepts(value) && (value as number) >= 1;
      if (!isRatio) {
        problems.add(path, value, 'a number, 1 or more: 1.2 is a fifth more than the old slots');
      }
    } else {
      problems.addSecret(path, unknownKey(key, ['absolute', 'ratio']));
    }
  }
}

/** The settings in the words of the pure judgement. */
export function shareSettings(args: ShareArgs, counted: ShareSettings['counted']): ShareSettings {
  return {
    counted,
    max: args.max,
    minRequests: args.minRequests,
    onNoData: args.onNoData,
    overMs: milliseconds(args.over),
    slots: args.slots,
  };
}

/** The settings in the words of the pure judgement. */
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
