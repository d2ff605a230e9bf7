import type { CountSource, ShiftSubject } from '../shift';
import type { CountedMetrics } from './cloudwatch-queries';
import { countQueries, countsFrom, elbErrorQuery, periodSeconds } from './cloudwatch-queries';
import type { MetricData } from './metric-data';
import { cloudWatchTimes } from './metric-defaults';

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
