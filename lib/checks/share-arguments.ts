import type { Problems, Rule } from '../problems';
import { isMapping, unknownKey } from '../problems';
import type { ComparisonCheckSettings, RegressionBound, ShareSettings } from '../shift';
import { timeSpan } from './argument-rules';
import type { MetricCheck, RecentFigures } from './common-arguments';
import {
  atLeastZero,
  finiteNumber,
  metricRules,
  milliseconds,
  recentRules,
  shareBound,
} from './common-arguments';

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
