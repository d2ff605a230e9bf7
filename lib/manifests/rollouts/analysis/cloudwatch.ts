import { parseDuration } from '../../../core/durations';
import type { Problems } from '../../../core/validation/problems';
import { countedMetrics, fillTexts } from '../../../shift/checks';
import type { MetricDataQuery } from '../../../shift/checks';
import { conditions, defaultMinRequests, isWithin, secondsText, timesOf } from '../../shift-checks';
import type { AnalysisConditions } from '../../shift-checks';
import type { CheckOf, MetricProvider } from './provider';

/** Which periods count, by how long ago they began, in milliseconds. */
export interface Begins {
  /** As long ago, or longer. */
  readonly before: number;
  /** Less long ago. */
  readonly notBefore: number;
}

/**
 * The answer to one query, in the words of expr: `result` is the list of `MetricDataResult`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html
 */
function seriesOf(id: string): string {
  return `find(result, {.Id == "${id}"})`;
}

/** Values of the periods that count, the newest one first, as CloudWatch answers where it is not told otherwise. */
function recentPoints(series: string, { before, notBefore }: Begins): string {
  const at = `${series}.Timestamps[#]`;
  const counts = `${at} <= now() - duration("${secondsText(before)}") && ${at} > now() - duration("${secondsText(notBefore)}")`;
  return `map(filter(0..len(${series}.Values) - 1, {${counts}}), {${series}.Values[#]})`;
}

/** Sum of the periods that count; 0 where there are none, since Elastic Load Balancing reports no zeros. */
function sumOf(id: string, begins: Begins): string {
  return `sum(${recentPoints(seriesOf(id), begins)})`;
}

type CloudWatchCheck = CheckOf<'cloudWatch'>;

const dimensions = [
  { Name: 'TargetGroup', Value: '{{targetGroup}}' },
  { Name: 'LoadBalancer', Value: '{{loadBalancer}}' },
];

/** Adds what Argo Rollouts can't ask CloudWatch for. */
function checkCloudWatchMetric(problems: Problems, path: string, { kind, args }: CloudWatchCheck): void {
  if (kind !== 'cloudWatch.metric') {
    return;
  }
  if (args.region !== undefined) {
    const own = 'left out: Argo Rollouts queries its own region, the variable AWS_REGION of its controller';
    problems.add(`${path}.check.${kind}.region`, args.region, own);
  }
  args.queries?.forEach(({ AccountId }, position) => {
    if (AccountId !== undefined) {
      const at = `${path}.check.${kind}.queries[${position}].AccountId`;
      problems.add(at, AccountId, 'left out: Argo Rollouts queries metrics of its own account');
    }
  });
}

/**
 * A metric of CloudWatch for Argo Rollouts. Raw counts are asked for, and the condition does what the shift's check does:
 * it takes whole periods whose figures are there, and adds them up.
 *
 * @param textOf what is in place of a variable
 * @see https://argo-rollouts.readthedocs.io/en/stable/analysis/cloudwatch/
 */
function cloudWatchMetric(
  check: CloudWatchCheck,
  textOf: (name: string) => string,
): AnalysisConditions & { readonly provider: object } {
  const { queries, known, within } = check.kind === 'cloudWatch.metric' ? ofValue(check) : ofShare(check);
  const { overMs, periodMs, delayMs } = timesOf(check);
  return {
    ...conditions(known, within, check.args.onNoData),
    provider: {
      cloudWatch: {
        // What is too old or too new is left out by the conditions.
        interval: secondsText(Math.max(overMs, periodMs) + delayMs + 2 * periodMs),
        metricDataQueries: (fillTexts(queries, textOf) as readonly MetricDataQuery[]).map(inArgoWords),
      },
    },
  };
}

interface Evaluation {
  readonly queries: readonly MetricDataQuery[];
  readonly known: string;
  readonly within: string;
}

function ofShare(check: Exclude<CloudWatchCheck, { kind: 'cloudWatch.metric' }>): Evaluation {
  const { overMs, periodMs, delayMs } = timesOf(check);
  // Whole periods that end before the delay, as many as fit into the time: where periods begin.
  const begins = { before: delayMs + periodMs, notBefore: delayMs + periodMs + overMs };
  const sum = (id: string): string => sumOf(id, begins);
  const { max, minRequests = defaultMinRequests } = check.args;
  if (check.kind === 'cloudWatch.slowShare') {
    const slowAboveSeconds = parseDuration(check.args.above)! / 1000;
    return {
      queries: countQueries(countedMetrics({ errors: false, slowAboveSeconds })),
      known: `${sum('answered')} >= ${minRequests}`,
      within: isWithin(`${sum('slow')} / ${sum('answered')}`, { max }),
    };
  }
  const good = ['good2', 'good3', 'good4'].map(sum).join(' - ');
  return {
    queries: countQueries(countedMetrics({ errors: true })),
    known: `${sum('requests')} >= ${minRequests}`,
    within: isWithin(`(${sum('requests')} - ${good}) / ${sum('requests')}`, { max }),
  };
}

function ofValue(check: Extract<CloudWatchCheck, { kind: 'cloudWatch.metric' }>): Evaluation {
  const { namespace, metric, dimensions: given = {}, stat = 'Average', minRequests, min, max } = check.args;
  const { overMs, periodMs, delayMs } = timesOf(check);
  const queries = check.args.queries ?? [
    {
      Id: 'value',
      MetricStat: {
        Metric: {
          Namespace: namespace!,
          MetricName: metric!,
          Dimensions: Object.entries(given).map(([Name, Value]) => ({ Name, Value })),
        },
        Period: 60,
        Stat: stat,
      },
    },
  ];
  const { Id } = queries.find(({ ReturnData }) => ReturnData !== false)!;
  const before = delayMs + periodMs;
  const begins = { before, notBefore: Math.max(overMs, before + periodMs) };
  const points = recentPoints(seriesOf(Id), begins);
  const value = {
    last: `first(${points})`,
    avg: `mean(${points})`,
    sum: `sum(${points})`,
    max: `last(sort(${points}))`,
    min: `first(sort(${points}))`,
  }[check.args.aggregate ?? 'last'];
  // Argo gives a list of series; which of several is the worst can't be said in one condition.
  const isOne = `count(result, {.Id == "${Id}"}) == 1 && len(${points}) > 0`;
  if (minRequests === undefined) {
    return { queries, known: isOne, within: isWithin(value, { min, max }) };
  }
  const { requests } = countedMetrics({ errors: true });
  return {
    queries: [...queries, ...countQueries({ [requestsId]: requests! })],
    known: `${isOne} && ${sumOf(requestsId, begins)} >= ${minRequests}`,
    within: isWithin(value, { min, max }),
  };
}

const requestsId = 'requests_of_the_canary';

function countQueries(
  counted: Readonly<Record<string, { readonly metric: string; readonly stat: string }>>,
): readonly MetricDataQuery[] {
  return Object.entries(counted).map(([Id, { metric, stat }]) => ({
    Id,
    MetricStat: {
      Metric: { Namespace: 'AWS/ApplicationELB', MetricName: metric, Dimensions: dimensions },
      Period: 60,
      Stat: stat,
    },
  }));
}

function inArgoWords({ Id, MetricStat, Expression, Label, Period, ReturnData }: MetricDataQuery): object {
  return {
    id: Id,
    ...(MetricStat && {
      metricStat: {
        metric: {
          namespace: MetricStat.Metric.Namespace,
          metricName: MetricStat.Metric.MetricName,
          ...(MetricStat.Metric.Dimensions && {
            dimensions: MetricStat.Metric.Dimensions.map(({ Name, Value }) => ({ name: Name, value: Value })),
          }),
        },
        period: MetricStat.Period,
        stat: MetricStat.Stat,
        ...(MetricStat.Unit !== undefined && { unit: MetricStat.Unit }),
      },
    }),
    ...(Expression !== undefined && { expression: Expression }),
    ...(Label !== undefined && { label: Label }),
    ...(Period !== undefined && { period: Period }),
    ...(ReturnData !== undefined && { returnData: ReturnData }),
  };
}

/** Metrics of CloudWatch. */
export const cloudWatchProvider: MetricProvider<'cloudWatch'> = {
  name: 'CloudWatch',
  settings: {},
  addProblems: checkCloudWatchMetric,
  measured: (check, _settings, { textOf }) => cloudWatchMetric(check, textOf),
};
