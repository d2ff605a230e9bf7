import { Problems } from '../../../core/validation/problems';
import type { Problem, Rule } from '../../../core/validation/problems';
import type { ShiftSubject } from '../../engine';
import { comparisonCheck, shareCheck } from '../../evaluation';
import type { CountSource } from '../../evaluation';
import type { CheckContext, CheckKind, IamStatement } from '../check-kind';
import { checkArguments, timeSpan } from '../shared/arguments';
import {
  atLeastZero,
  checkRegression,
  checkSeesRequests,
  checkSlots,
  comparisonRules,
  comparisonSettings,
  milliseconds,
  shareRules,
  shareSettings,
} from '../shared/metric-settings';
import type { ComparisonArgs, ShareArgs } from '../shared/metric-settings';
import { cloudWatchCounts } from './counts';
import type { CountedMetrics } from './counts';

/** What the checks on an ALB's own counts take. */
export interface CloudWatchCounting {
  /**
   * From the end of a minute until its figures are taken.
   *
   * @default '2m' - a minute's counts are written one after another, and an ALB's are complete after two minutes; without
   * their 2XX, requests look like errors
   */
  readonly delay?: string;
}

/** What `checks.cloudWatch.errorShare` takes. */
export interface CloudWatchErrorShareArgs extends ShareArgs, CloudWatchCounting {}

/** What `checks.cloudWatch.slowShare` takes. */
export interface CloudWatchSlowShareArgs extends ShareArgs, CloudWatchCounting {
  /** A request is slow if its target took longer: `500ms`. */
  readonly above: string;
}

/** What `checks.cloudWatch.comparison` takes. */
export interface CloudWatchComparisonArgs extends ComparisonArgs, CloudWatchCounting {
  /** Compares the share of requests that took longer, too. @default - only errors are compared */
  readonly slowAbove?: string;
}

const countingRules: Readonly<Record<string, Rule>> = { delay: atLeastZero };

/** CloudWatch takes nothing narrower for the action. */
export const getMetricData: readonly IamStatement[] = [
  { actions: ['cloudwatch:GetMetricData'], resources: ['*'] },
];

function problems(
  kind: string,
  args: Readonly<Record<string, unknown>>,
  subject: ShiftSubject,
  rules: Readonly<Record<string, Rule>>,
  required: readonly string[],
): readonly Problem[] {
  const found = new Problems(kind);
  checkSeesRequests(found, kind, subject);
  checkArguments(found, args, { ...rules, ...countingRules }, required);
  checkSlots(found, args.slots, subject);
  checkRegression(found, args.regression);
  return found.all;
}

function counts(context: CheckContext, counted: CountedMetrics, { delay }: CloudWatchCounting): CountSource {
  return cloudWatchCounts(context.subject, context.metricData(), counted, milliseconds(delay));
}

function seconds(duration: string | undefined): number | undefined {
  const known = milliseconds(duration);
  return known === undefined ? undefined : known / 1000;
}

/**
 * The share of requests of a target group that no 2XX, 3XX or 4XX of a target ended, by an ALB's own counts: 5XX,
 * refused connections, time-outs. Not for WebSockets: a 101 is none of these.
 */
export const errorShare: CheckKind<CloudWatchErrorShareArgs> = {
  problems: (args, subject) => problems('cloudWatch.errorShare', args, subject, shareRules, ['max']),
  create: (name, args, context) =>
    shareCheck(name, counts(context, { errors: true }, args), shareSettings(args, 'errors')),
  rights: () => getMetricData,
};

/** The share of a target group's answered requests that took longer than a bound, by an ALB's own measurements. */
export const slowShare: CheckKind<CloudWatchSlowShareArgs> = {
  problems: (args, subject) =>
    problems('cloudWatch.slowShare', args, subject, { ...shareRules, above: timeSpan }, ['max', 'above']),
  create: (name, args, context) =>
    shareCheck(
      name,
      counts(context, { errors: false, slowAboveSeconds: seconds(args.above) }, args),
      shareSettings(args, 'slow'),
    ),
  rights: () => getMetricData,
};

/** A comparison of target groups by an ALB's own counts; see `compareSlots` for the method. */
export const comparison: CheckKind<CloudWatchComparisonArgs> = {
  problems: (args, subject) =>
    problems('cloudWatch.comparison', args, subject, { ...comparisonRules, slowAbove: timeSpan }, []),
  create: (name, args, context) => {
    const counted = { errors: true, slowAboveSeconds: seconds(args.slowAbove) };
    return comparisonCheck(
      name,
      counts(context, counted, args),
      comparisonSettings(args, args.slowAbove === undefined ? ['errors'] : ['errors', 'slow']),
    );
  },
  rights: () => getMetricData,
};
