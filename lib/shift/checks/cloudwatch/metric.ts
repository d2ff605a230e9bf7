import { awsRegion } from '../../../core/aws/arns';
import { Problems } from '../../../core/validation/problems';
import type { Rule } from '../../../core/validation/problems';
import type { ShiftSubject } from '../../engine';
import type { CheckContext, CheckKind, MetricDataQuery } from '../check-kind';
import { checkArguments, mapOf, text } from '../shared/arguments';
import {
  atLeastZero,
  checkBounds,
  checkSlots,
  finiteNumber,
  metricRules,
  milliseconds,
  recentRules,
  silentRules,
} from '../shared/metric-settings';
import type { MetricCheck, RecentFigures, SilentQuery } from '../shared/metric-settings';
import { aggregate, aggregateAll, aggregateRule, queryCheck, seenQueries } from '../shared/query-check';
import type { Aggregate, ValueSource } from '../shared/query-check';
import { checkChoice, checkTemplate, fillTexts, isOfSlot, valueOf } from '../shared/query-template';
import type { SubjectVariable } from '../shared/query-template';
import { seenBefore } from '../shared/seen-before';
import { countQueries, countsFrom, defaultDelayMs, settledUntil } from './counts';
import { getMetricData } from './requests';

/**
 * What {@link metric} takes: a metric by its namespace, name, dimensions and statistic, or queries in CloudWatch's own
 * words. All texts may have variables: `{{targetGroup}}`, `{{loadBalancer}}`, `{{slot}}`, `{{cluster}}`.
 */
export interface CloudWatchMetricArgs extends MetricCheck, RecentFigures, SilentQuery {
  /** `AWS/ApplicationELB` */
  readonly namespace?: string;
  /** `TargetResponseTime` */
  readonly metric?: string;
  /** `{ TargetGroup: '{{targetGroup}}', LoadBalancer: '{{loadBalancer}}' }` @default - none */
  readonly dimensions?: Readonly<Record<string, string>>;
  /** `Sum`, `Average`, `p99`, `TC(1:100)`, … @default 'Average' */
  readonly stat?: string;
  /** Queries as `GetMetricData` takes them; exactly one of them returns data. */
  readonly queries?: readonly MetricDataQuery[];
  /** It fails below this. @default - no lower bound */
  readonly min?: number;
  /** It fails above this. @default - no upper bound */
  readonly max?: number;
  /** How the points since the weights changed become one value. @default 'last' */
  readonly aggregate?: Aggregate;
  /** From the end of a period until its figures are taken. @default '2m' - until then they may be incomplete */
  readonly delay?: string;
  /** Where the metric is. @default - the region of the load balancer */
  readonly region?: string;
}

const queriesRule: Rule = {
  allowed: 'a list of at least one MetricDataQuery, each with an Id and a MetricStat or an Expression',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && (value as unknown[]).every((one) => isQuery(one as never)),
};

const rules: Readonly<Record<string, Rule>> = {
  ...metricRules,
  ...recentRules,
  ...silentRules,
  namespace: text,
  metric: text,
  dimensions: mapOf(text),
  stat: text,
  queries: queriesRule,
  min: finiteNumber,
  max: finiteNumber,
  aggregate: aggregateRule,
  delay: atLeastZero,
  region: awsRegion,
};

function isQuery(query: MetricDataQuery | null | undefined): boolean {
  if (typeof query?.Id !== 'string' || !/^[a-z]\w*$/.test(query.Id)) {
    return false;
  }
  const { MetricStat: stat, Expression: expression } = query;
  const isStat =
    typeof stat?.Stat === 'string' &&
    typeof stat.Period === 'number' &&
    typeof stat.Metric?.MetricName === 'string';
  return isStat !== (typeof expression === 'string');
}

/** A metric of CloudWatch, or an expression over several, held against bounds. */
export const metric: CheckKind<CloudWatchMetricArgs> = {
  problems: (args, subject) => {
    const problems = new Problems('cloudWatch.metric');
    checkArguments(problems, args, rules);
    checkBounds(problems, args);
    checkSlots(problems, args.slots, subject);
    if (args.minRequests === undefined) {
      checkChoice(problems, args.slots, JSON.stringify(args));
    }
    checkTemplate(problems, args.queries === undefined ? 'dimensions' : 'queries', JSON.stringify(args));
    checkShape(problems, args);
    if (args.minRequests !== undefined && subject.layer !== 'http') {
      problems.add('minRequests', args.minRequests, 'left out: only an ALB counts requests');
    }
    return problems.all;
  },
  create: (name, args, context) => {
    const ofSlots = args.minRequests !== undefined || isOfSlot(JSON.stringify(args));
    // What is not known is found before the shift begins.
    for (const slot of ofSlots ? Object.keys(context.subject.slots) : [undefined]) {
      queriesOf(args, context.subject, slot);
    }
    const source = valueSource(args, context);
    const check = queryCheck(name, source, {
      ...args,
      ofSlots,
      overMs: milliseconds(args.over),
      isReady: (from, to) => {
        const [start, until] = wholePeriods(args, from, to);
        return start < until;
      },
    });
    const query = JSON.stringify(args.queries ?? `${args.namespace}/${args.metric}`);
    const isSlotted = isOfSlot(JSON.stringify(args));
    return seenBefore(
      check,
      seenQueries(args, 'CloudWatch', query, isSlotted, context.subject, (...asked) =>
        source.values(...asked),
      ),
    );
  },
  rights: () => getMetricData,
};

function checkShape(problems: Problems, args: Readonly<Record<string, unknown>>): void {
  const ofMetric = ['namespace', 'metric', 'dimensions', 'stat'].filter((key) => args[key] !== undefined);
  if (args.queries === undefined) {
    for (const key of ['namespace', 'metric'].filter((one) => args[one] === undefined)) {
      problems.add(key, undefined, 'there, or "queries"');
    }
    return;
  }
  for (const key of ofMetric) {
    problems.add(key, args[key], 'left out beside "queries"');
  }
  if (queriesRule.accepts(args.queries)) {
    const returned = (args.queries as readonly MetricDataQuery[]).filter(
      ({ ReturnData }) => ReturnData !== false,
    );
    if (returned.length !== 1) {
      const ids = returned.map(({ Id }) => Id);
      problems.add(
        'queries',
        ids,
        'queries of which exactly one returns data (ReturnData: false for the others)',
      );
    }
  }
}

const periodSeconds = 60;

/** @throws InvalidInput where a name that the queries ask for is not known */
function queriesOf(
  args: CloudWatchMetricArgs,
  subject: ShiftSubject,
  slot: string | undefined,
): readonly MetricDataQuery[] {
  const { namespace = '', metric: name = '', dimensions = {}, stat = 'Average' } = args;
  const plain: readonly MetricDataQuery[] = args.queries ?? [
    {
      Id: 'value',
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
        },
        Period: periodSeconds,
        Stat: stat,
      },
    },
  ];
  return fillTexts(plain, (name) =>
    valueOf(name as SubjectVariable, subject, slot),
  ) as readonly MetricDataQuery[];
}

function valueSource(args: CloudWatchMetricArgs, context: CheckContext): ValueSource {
  const { subject } = context;
  const ask = async (slot: string | undefined, from: number, to: number, signal?: AbortSignal) => {
    const queries = queriesOf(args, subject, slot);
    const [start, until] = recentPeriods(args, from, to);
    const series = await context.metricData(args.region).query(queries, start, until, signal);
    return { until, series: series.map(({ points }) => points.filter(([at]) => at >= start && at < until)) };
  };
  const how = args.aggregate ?? 'last';
  return {
    values: async (slot, from, to, signal) => {
      const { series } = await ask(slot, from, to, signal);
      return aggregateAll(series, how);
    },
    settledValues: async (slot, from, to, signal) => {
      const { until, series } = await ask(slot, from, to, signal);
      return series.map((points) => {
        const value = aggregate(points, how);
        const newest = until - periodMsOf(args);
        return onlyGetsWorse(args, value)
          ? value
          : aggregate(
              points.filter(([at]) => at < newest),
              how,
            );
      });
    },
    ...(args.minRequests !== undefined && {
      requests: async (slot, from, to, signal) => {
        const [start, until] = recentPeriods(args, from, to);
        const counted = { errors: true };
        const series = await context.metricData().query(countQueries(subject, counted), start, until, signal);
        const counts = countsFrom(subject, counted, series).filter((count) => count.slot === slot);
        return counts.reduce((sum, { requests }) => sum + requests, 0);
      },
    }),
  };
}

const risingStats = ['Sum', 'SampleCount', 'Maximum'];

/**
 * Whether figures that come late can't take back that a value is beyond its bounds: a sum and a maximum only grow. In
 * periods longer than a minute, the newest minute is a part of many.
 */
function onlyGetsWorse(args: CloudWatchMetricArgs, value: number): boolean {
  const { stat = 'Average', min, max, queries } = args;
  if (periodMsOf(args) > 1000 * periodSeconds) {
    return true;
  }
  const plain =
    queries === undefined ? stat : queries.length === 1 ? queries[0]!.MetricStat?.Stat : undefined;
  const isRising = risingStats.includes(plain ?? '') && args.aggregate !== 'min' && args.aggregate !== 'avg';
  return (
    (isRising && max !== undefined && value > max) ||
    (plain === 'Minimum' && args.aggregate !== 'avg' && min !== undefined && value < min)
  );
}

/** The same, but one period at least, however little it looks back: the check is only asked when there is one. */
function recentPeriods(args: CloudWatchMetricArgs, from: number, to: number): readonly [number, number] {
  const [start, until] = wholePeriods(args, from, to);
  return [Math.min(start, until - periodMsOf(args)), until];
}

/** From the start of the first whole period to the end of the last one whose figures are there. */
function wholePeriods(args: CloudWatchMetricArgs, from: number, to: number): readonly [number, number] {
  const delayMs = milliseconds(args.delay) ?? defaultDelayMs;
  const periodMs = periodMsOf(args);
  return [Math.ceil(from / periodMs) * periodMs, settledUntil(to, delayMs, periodMs)];
}

function periodMsOf({ queries = [] }: CloudWatchMetricArgs): number {
  return 1000 * Math.max(periodSeconds, ...queries.map(periodOf));
}

function periodOf(query: MetricDataQuery): number {
  return query.MetricStat?.Period ?? query.Period ?? periodSeconds;
}
