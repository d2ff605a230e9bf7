import type { ShiftSubject } from '../../engine';
import type { CountSource, SlotCount } from '../../evaluation';
import type { MetricData, MetricDataQuery, MetricSeries } from '../check-context';
import { cloudWatchTimes } from '../shared/metric-settings';
import { valueOf } from '../shared/query-template';

/** Seconds between two points; Elastic Load Balancing reports every minute. */
const periodSeconds = 60;

/** Above any time that a request can take, since an idle timeout is at most 4000 seconds. */
const longestSeconds = 100_000;

/** One metric of a target group. */
export interface CountedMetric {
  /** Name of the metric in CloudWatch: `RequestCount`. */
  readonly metric: string;
  /** Statistic of the metric: `Sum`, `p99`. */
  readonly stat: string;
}

const requestMetrics: Readonly<Record<string, CountedMetric>> = {
  requests: { metric: 'RequestCount', stat: 'Sum' },
  good2: { metric: 'HTTPCode_Target_2XX_Count', stat: 'Sum' },
  good3: { metric: 'HTTPCode_Target_3XX_Count', stat: 'Sum' },
  good4: { metric: 'HTTPCode_Target_4XX_Count', stat: 'Sum' },
  failed: { metric: 'HTTPCode_Target_5XX_Count', stat: 'Sum' },
};

/**
 * Requests that took longer than the bound. A trimmed count with absolute bounds leaves out its lower bound and includes
 * its upper one, and is documented with both.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
 */
function slowMetrics(aboveSeconds: number): Readonly<Record<string, CountedMetric>> {
  const bound = aboveSeconds.toFixed(6).replace(/\.?0+$/, '');
  return {
    slow: { metric: 'TargetResponseTime', stat: `TC(${bound}:${longestSeconds})` },
    answered: { metric: 'TargetResponseTime', stat: 'SampleCount' },
  };
}

/** What is counted of a target group. */
export interface CountedMetrics {
  /** Whether errors are counted. */
  readonly errors: boolean;
  /** Requests that take longer are slow, in seconds. @default - they are not counted */
  readonly slowAboveSeconds?: number;
}

/** Metrics of a target group, and their statistics, that the counts are made of. */
export function countedMetrics({
  errors,
  slowAboveSeconds,
}: CountedMetrics): Readonly<Record<string, CountedMetric>> {
  return {
    ...(errors ? requestMetrics : {}),
    ...(slowAboveSeconds === undefined ? {} : slowMetrics(slowAboveSeconds)),
  };
}

/**
 * Queries for the counts of every slot. All of them are raw sums: the arithmetic is done here, where a missing point can
 * be told from a zero.
 *
 * @throws InvalidInput where an ARN is not known
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html
 */
export function countQueries(subject: ShiftSubject, counted: CountedMetrics): readonly MetricDataQuery[] {
  const metrics = countedMetrics(counted);
  const loadBalancer = { Name: 'LoadBalancer', Value: valueOf('loadBalancer', subject, undefined) };
  return Object.keys(subject.slots).flatMap((slot, index) => {
    const targetGroup = { Name: 'TargetGroup', Value: valueOf('targetGroup', subject, slot) };
    return Object.entries(metrics).map(([id, { metric, stat }]) =>
      sumQuery(idOf(id, index), metric, stat, [targetGroup, loadBalancer]),
    );
  });
}

/**
 * Server errors of the load balancer itself. They have no target group, so they say nothing of one slot and are shown
 * only.
 */
function elbErrorQuery(subject: ShiftSubject): MetricDataQuery {
  const loadBalancer = { Name: 'LoadBalancer', Value: valueOf('loadBalancer', subject, undefined) };
  return sumQuery('elb5', 'HTTPCode_ELB_5XX_Count', 'Sum', [loadBalancer]);
}

/**
 * From this share of a slot's requests on, the load balancer's own 5XX are taken for the slot's, where as many requests
 * have no answer: more than is ever late, and more than other slots and rules have as long as they are well.
 */
const ownShare = 0.1;

/**
 * Counts of each slot and minute from the answer to {@link countQueries} and {@link elbErrorQuery}. A minute without
 * requests has none, so what is missing beside requests is 0: Elastic Load Balancing reports no zeros.
 *
 * Errors are all requests that no 2XX, 3XX or 4XX of the target ended: also refused connections and time-outs, which the
 * target's own 5XX count does not have. Those that were counted as failed are the target's 5XX; and, where the load
 * balancer's own are a tenth of the slot's requests or more, and as many have no other answer, these, too.
 */
export function countsFrom(
  subject: ShiftSubject,
  counted: CountedMetrics,
  series: readonly MetricSeries[],
): readonly SlotCount[] {
  const byId = new Map(series.map(({ id, points }) => [id, new Map(points)]));
  return Object.keys(subject.slots).flatMap((slot, index) => {
    const at = (id: string, time: number): number => byId.get(idOf(id, index))?.get(time) ?? 0;
    const all = counted.errors ? 'requests' : 'answered';
    return [...(byId.get(idOf(all, index)) ?? [])].map(([time, requests]): SlotCount => {
      const good = at('good2', time) + at('good3', time) + at('good4', time);
      const failed = at('failed', time);
      const errors = counted.errors ? Math.max(0, requests - good, failed) : 0;
      const ofBalancer = byId.get('elb5')?.get(time) ?? 0;
      const isOwn = Math.min(ofBalancer, errors - failed) >= Math.max(1, ownShare * requests);
      // Response times come with answers: without any, they are late.
      const isSlowLate = good > 0 && byId.get(idOf('answered', index))?.get(time) === undefined;
      return {
        slot,
        at: time,
        requests,
        errors,
        ...(counted.errors && { failures: Math.min(errors, failed + (isOwn ? ofBalancer : 0)) }),
        ...(counted.slowAboveSeconds !== undefined && { slow: isSlowLate ? null : at('slow', time) }),
      };
    });
  });
}

/** An id begins with a lower-case letter. */
function idOf(metric: string, slotIndex: number): string {
  return `${metric}_${slotIndex}`;
}

function sumQuery(
  id: string,
  metric: string,
  stat: string,
  dimensions: readonly { readonly Name: string; readonly Value: string }[],
): MetricDataQuery {
  return {
    Id: id,
    MetricStat: {
      Metric: { Namespace: 'AWS/ApplicationELB', MetricName: metric, Dimensions: dimensions },
      Period: periodSeconds,
      Stat: stat,
    },
  };
}

const periodMs = periodSeconds * 1000;

/**
 * From the end of a minute until its figures are taken: the counts of a minute are written one after another, and
 * requests without their 2XX would look like errors.
 */
export const defaultDelayMs: number = cloudWatchTimes.delayMs;

/** The end of the newest period whose figures are there. */
export function settledUntil(to: number, delayMs: number, period: number): number {
  return Math.floor((to - delayMs) / period) * period;
}

/**
 * Counts by minute and target group from CloudWatch.
 *
 * A request shows at the earliest when its minute has ended and `delayMs` has passed: two to three minutes after it was
 * made. The newest minute may lack figures even then, where CloudWatch is later than that.
 *
 * @throws InvalidInput where an ARN is not known
 */
export function cloudWatchCounts(
  subject: ShiftSubject,
  data: MetricData,
  counted: CountedMetrics,
  delayMs = defaultDelayMs,
): CountSource {
  const queries = [...countQueries(subject, counted), elbErrorQuery(subject)];
  return {
    counts: async (from, to, signal) => {
      const start = Math.floor(from / periodMs) * periodMs;
      const until = settledUntil(to, delayMs, periodMs);
      if (until <= start) {
        return { counts: [], until, periodMs, settling: true };
      }
      const series = await data.query(queries, start, until, signal);
      const whole = series.map(({ id, points }) => ({
        id,
        points: points.filter(([at]) => at >= start && at + periodMs <= until),
      }));
      const elb = whole.find(({ id }) => id === 'elb5')?.points ?? [];
      const ofElb = elb.filter(([at]) => at >= from).reduce((sum, [, value]) => sum + value, 0);
      return {
        counts: countsFrom(subject, counted, whole),
        until,
        periodMs,
        settling: true,
        advisory: [
          { name: "load balancer's own 5XX, of no slot, for information", value: ofElb, unit: 'count' },
        ],
      };
    },
  };
}
