import type { AwsClients } from '../../core/aws/clients';
import { AwsError } from '../../core/aws/errors';
import { stickySeconds } from '../../core/aws/load-balancing';
import { awsMetricData, defaultDelayMs, settledUntil } from '../../shift/checks';
import type { StickyTraffic } from '../drain';
import { forwardedTo } from './listener-rules';
import type { ListenerRule } from './listener-rules';

/**
 * How far back requests are counted at most, in minutes. AWS does not say since when a weight is live, and stickiness may be as
 * long as seven days: who has not come for an hour is not waited for.
 */
const longestWindow = 60;

const minuteMs = 60_000;

/** A sticky client's way: what it takes, whatever the weights are. */
export interface StickyShare {
  /** Percent of the action's requests, not rounded. */
  readonly percent: number;
  readonly sticky: StickyTraffic;
}

/** Whether clients may go on to a slot's target groups whatever the weights are. */
export function isSticky({ where, actions }: ListenerRule, own: ReadonlySet<string>): boolean {
  const groups = forwardedTo(actions);
  return (
    /:listener(-rule)?\/app\//.test(where) &&
    stickySeconds(actions) !== undefined &&
    groups.length > 1 &&
    groups.some(({ arn }) => own.has(arn))
  );
}

/**
 * The share of an action's requests that reached a slot, where stickiness keeps clients with it: those of as many minutes as a
 * client stays, an hour at most. The newest two or three minutes are left out, since CloudWatch has not all of them yet.
 *
 * @param now milliseconds since 1970
 * @returns undefined where no request reached it
 * @throws AwsError
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html
 */
export async function stickyShare(
  clients: AwsClients,
  { balancer, actions }: ListenerRule,
  own: ReadonlySet<string>,
  now: number,
): Promise<StickyShare | undefined> {
  const seconds = stickySeconds(actions)!;
  const minutes = Math.min(longestWindow, Math.ceil(seconds / 60));
  const until = settledUntil(now, defaultDelayMs, minuteMs);
  const groups = forwardedTo(actions);
  const queries = groups.map(({ arn }, index) => ({
    Id: `requests${index}`,
    MetricStat: {
      Metric: {
        Namespace: 'AWS/ApplicationELB',
        MetricName: 'RequestCount',
        Dimensions: [
          { Name: 'TargetGroup', Value: arn.slice(arn.lastIndexOf(':') + 1) },
          { Name: 'LoadBalancer', Value: balancer.replace(/^.*:loadbalancer\//, '') },
        ],
      },
      Period: minuteMs / 1000,
      Stat: 'Sum',
    },
  }));
  const series = await unwrapped(awsMetricData(clients).query(queries, until - minutes * minuteMs, until));
  const requestsOf = (index: number): number =>
    series
      .filter(({ id }) => id === `requests${index}`)
      .flatMap(({ points }) => points)
      .reduce((sum, [, value]) => sum + value, 0);
  const counts = groups.map(({ arn }, index) => ({ isOwn: own.has(arn), requests: requestsOf(index) }));
  const sum = (all: readonly { readonly requests: number }[]): number =>
    all.reduce((total, { requests }) => total + requests, 0);
  const requests = sum(counts.filter(({ isOwn }) => isOwn));
  return requests === 0
    ? undefined
    : { percent: (100 * requests) / sum(counts), sticky: { requests, minutes, seconds } };
}

/** A failure of AWS as every other call here has it. */
async function unwrapped<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    const { cause } = Object(error) as { cause?: unknown };
    throw cause instanceof AwsError ? cause : error;
  }
}
