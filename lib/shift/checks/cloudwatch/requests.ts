import { optional } from '../../../core/validation/collections';
import type { Problem } from '../../../core/validation/problems';
import { duration } from '../../../core/validation/values';
import type { ShiftSubject } from '../../engine';
import { shareCheck } from '../../evaluation';
import type { CountSource } from '../../evaluation';
import type { CheckContext } from '../check-context';
import { checkArgs, checkKind } from '../check-kind';
import type { CanaryTimes, IamStatement, SimulatedCounts } from '../check-kind';
import {
  cloudWatchTimes,
  comparisonEntries,
  comparisonSettings,
  metricDefaults,
  milliseconds,
  shareEntries,
  shareCheckSettings,
  metricSlotProblems,
} from '../shared/metric-settings';
import type { ComparisonArgs, ShareArgs } from '../shared/metric-settings';
import { timeSpan } from '../shared/schemas';
import { bothWaysCheck, visitorsOf } from '../shared/synthetic-check';
import { syntheticSchema, syntheticSettings } from '../shared/synthetic-settings';
import type { SyntheticArgs } from '../shared/synthetic-settings';
import { cloudWatchCounts, defaultDelayMs } from './counts';
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
  /**
   * Requests of the shift's own to every slot, evaluated apart from those of visitors.
   *
   * @default - none are sent: a fleet with few visitors is rolled back, since they decide nothing
   */
  readonly synthetic?: SyntheticArgs;
}

/** CloudWatch takes nothing narrower for the action. */
export const getMetricData: readonly IamStatement[] = [
  { actions: ['cloudwatch:GetMetricData'], resources: ['*'] },
];

/** A problem where the figures of a load balancer that sees no HTTP are asked for. */
function layerProblems(name: string, { layer }: ShiftSubject): readonly Problem[] {
  const what = layer === 'names' ? 'DNS' : 'an NLB';
  const allowed = `a check that counts requests elsewhere, datadog.${name} or prometheus.${name}: ${what} counts no HTTP requests`;
  return layer === 'http' ? [] : [{ path: '', value: `cloudWatch.${name}`, allowed }];
}

function counts(context: CheckContext, counted: CountedMetrics, { delay }: CloudWatchCounting): CountSource {
  const source = cloudWatchCounts(context.subject, context.metricData(), counted, milliseconds(delay));
  return visitorsOf(source, context);
}

function seconds(duration: string | undefined): number | undefined {
  const known = milliseconds(duration);
  return known === undefined ? undefined : known / 1000;
}

function simulatedCounts({ delay }: CloudWatchCounting): SimulatedCounts {
  return { delayMs: milliseconds(delay) ?? defaultDelayMs, isSkewed: true };
}

function canaryTimes({ over, delay }: CloudWatchCounting & ShareArgs): CanaryTimes {
  const overMs = milliseconds(over) ?? metricDefaults.overMs;
  const delayMs = milliseconds(delay) ?? defaultDelayMs;
  const periodMs = cloudWatchTimes.sharePeriodMs;
  return { overMs, periodMs, delayMs, settledMs: overMs + delayMs + periodMs, countsPeriods: true };
}

function comparedBy(args: CloudWatchComparisonArgs): ReturnType<typeof comparisonSettings> {
  return comparisonSettings(args, args.slowAbove === undefined ? ['errors'] : ['errors', 'slow']);
}

const ofAll = {
  stages: ['after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'requests',
  permissions: () => getMetricData,
} as const;

const delay = { delay: optional(duration) };

/**
 * The share of requests of a target group that no 2XX, 3XX or 4XX of a target ended, by an ALB's own counts: 5XX,
 * refused connections, time-outs. Not for WebSockets: a 101 is none of these.
 */
export const errorShare = checkKind('cloudWatch.errorShare', {
  ...ofAll,
  asks: "An ALB's own counts: the share of failed requests above a bound?",
  args: checkArgs<CloudWatchErrorShareArgs>({ ...shareEntries, ...delay }),
  problems: ({ slots }, subject) => [
    ...layerProblems('errorShare', subject),
    ...metricSlotProblems(slots, subject),
  ],
  create: (name, args, context) =>
    shareCheck(name, counts(context, { errors: true }, args), shareCheckSettings(args, 'errors')),
  simulated: (args) => ({ share: shareCheckSettings(args, 'errors'), counts: simulatedCounts(args) }),
  canaryTimes,
});

/** The share of a target group's answered requests that took longer than a bound, by an ALB's own measurements. */
export const slowShare = checkKind('cloudWatch.slowShare', {
  ...ofAll,
  asks: "An ALB's own counts: the share of slow requests above a bound?",
  args: checkArgs<CloudWatchSlowShareArgs>({ ...shareEntries, above: timeSpan, ...delay }),
  problems: ({ slots }, subject) => [
    ...layerProblems('slowShare', subject),
    ...metricSlotProblems(slots, subject),
  ],
  create: (name, args, context) =>
    shareCheck(
      name,
      counts(context, { errors: false, slowAboveSeconds: seconds(args.above) }, args),
      shareCheckSettings(args, 'slow'),
    ),
  simulated: (args) => ({ share: shareCheckSettings(args, 'slow'), counts: simulatedCounts(args) }),
  canaryTimes,
});

/** A comparison of target groups by an ALB's own counts; see `compareSlots` for the method. */
export const comparison = checkKind('cloudWatch.comparison', {
  ...ofAll,
  stages: ['before', 'after'],
  asks: "An ALB's own counts: more failed or slow requests than the old slots?",
  args: checkArgs<CloudWatchComparisonArgs>({
    ...comparisonEntries,
    slowAbove: optional(timeSpan),
    synthetic: optional(syntheticSchema),
    ...delay,
  }),
  problems: (_args, subject) => layerProblems('comparison', subject),
  create: (name, args, context) =>
    bothWaysCheck(
      name,
      {
        source: counts(context, { errors: true, slowAboveSeconds: seconds(args.slowAbove) }, args),
        comparison: comparedBy(args),
        synthetic: args.synthetic && syntheticSettings(args.synthetic, milliseconds(args.slowAbove)),
      },
      context,
    ),
  simulated: (args) => ({
    comparison: comparedBy(args),
    historyMs: milliseconds(args.history) ?? metricDefaults.historyMs,
    counts: simulatedCounts(args),
    ...(args.synthetic && { synthetic: syntheticSettings(args.synthetic, milliseconds(args.slowAbove)) }),
  }),
  withoutMemory: 'cloudWatch.errorShare',
});
