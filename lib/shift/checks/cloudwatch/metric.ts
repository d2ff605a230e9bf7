import { regionName } from '../../../core/aws/access-schema';
import { across, list, object, optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import type { Schema, Unevaluated } from '../../../core/validation/schema';
import { duration, flag, number, text } from '../../../core/validation/values';
import type { ShiftSubject } from '../../engine';
import type { CheckContext, MetricDataQuery } from '../check-context';
import { checkArgs, checkKind } from '../check-kind';
import {
  boundsEntries,
  boundsJson,
  checkBounds,
  metricDefaults,
  metricEntries,
  milliseconds,
  recentEntries,
  silentEntries,
  metricSlotProblems,
} from '../shared/metric-settings';
import type { MetricCheck, RecentFigures, SilentQuery } from '../shared/metric-settings';
import { aggregate, aggregateAll, aggregateSchema, queryCheck, seenQueries } from '../shared/query-check';
import type { Aggregate, ValueSource } from '../shared/query-check';
import { checkChoice, checkQueryTemplate, fillTexts, isOfSlot, valueOf } from '../shared/query-template';
import type { SubjectVariable } from '../shared/query-template';
import { line, mapOf, notEmpty } from '../shared/schemas';
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

const dimension = object<Dimension>({ Name: line, Value: line });

const query: Schema<MetricDataQuery> = across(
  object<MetricDataQuery>({
    Id: text('a small letter, then letters, digits and "_"', /^[a-z]\w*$/),
    MetricStat: optional(
      object<MetricStat>({
        Metric: object<MetricStat['Metric']>({
          Namespace: line,
          MetricName: line,
          Dimensions: optional(list(dimension)),
        }),
        Period: number('a number of seconds', { above: 0 }),
        Stat: line,
        Unit: optional(line),
      }),
    ),
    Expression: optional(notEmpty),
    Label: optional(text('a text')),
    Period: optional(number('a number of seconds', { above: 0 })),
    ReturnData: optional(flag),
    AccountId: optional(text('a text')),
  }),
  ({ MetricStat, Expression }, { mustBe }) => {
    if ((MetricStat === undefined) === (Expression === undefined)) {
      mustBe([], 'a MetricDataQuery with either a MetricStat or an Expression');
    }
  },
  { oneOf: [{ required: ['MetricStat'] }, { required: ['Expression'] }] },
);

type MetricStat = MetricDataQuery['MetricStat'] & object;

type Dimension = (MetricStat['Metric']['Dimensions'] & object)[number];

const settings = across(
  checkArgs<CloudWatchMetricArgs>({
    ...metricEntries,
    ...recentEntries,
    ...silentEntries,
    ...boundsEntries,
    namespace: optional(line),
    metric: optional(line),
    dimensions: optional(mapOf(line)),
    stat: optional(line),
    queries: optional(list(query, 1, 'a list of at least one MetricDataQuery')),
    aggregate: optional(aggregateSchema),
    delay: optional(duration),
    region: optional(regionName),
  }),
  (args, objections) => {
    const text = jsonOf(args);
    checkBounds(args, objections);
    if (args.minRequests === undefined && text !== undefined) {
      checkChoice(args.slots, text, objections);
    }
    checkQueryTemplate(args.queries === undefined ? 'dimensions' : 'queries', text, [], objections);
    checkShape(args, objections);
  },
  { ...boundsJson, oneOf: [{ required: ['namespace', 'metric'] }, { required: ['queries'] }] },
);

/** What has no JSON, as a program may give it, is refused at its place. */
function jsonOf(args: unknown): string | undefined {
  try {
    return JSON.stringify(args);
  } catch {
    return undefined;
  }
}

/** A metric of CloudWatch, or an expression over several, held against bounds. */
export const metric = checkKind('cloudWatch.metric', {
  asks: 'CloudWatch: any metric, or an expression over several, beyond bounds?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'nothing',
  args: settings,
  problems: ({ slots, minRequests }, subject) => [
    ...metricSlotProblems(slots, subject),
    ...(minRequests !== undefined && subject.layer !== 'http'
      ? [{ path: 'minRequests', value: minRequests, allowed: 'left out: only an ALB counts requests' }]
      : []),
  ],
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
  permissions: () => getMetricData,
  canaryTimes: (args) => {
    const overMs = milliseconds(args.over) ?? metricDefaults.overMs;
    const [periodMs, delayMs] = [periodMsOf(args), milliseconds(args.delay) ?? defaultDelayMs];
    const settledMs = Math.max(overMs, delayMs + 2 * periodMs);
    return { overMs, periodMs, delayMs, settledMs, countsPeriods: false };
  },
});

function checkShape(args: Unevaluated<CloudWatchMetricArgs>, { conflicts, mustBe }: Objections): void {
  if (args.queries === undefined) {
    for (const key of ['namespace', 'metric'] as const) {
      if (args[key] === undefined) {
        mustBe([key], 'there, or "queries"');
      }
    }
    return;
  }
  for (const key of ['namespace', 'metric', 'dimensions', 'stat'] as const) {
    if (args[key] !== undefined) {
      conflicts([key], 'queries');
    }
  }
  const queries: readonly unknown[] = Array.isArray(args.queries) ? args.queries : [];
  const returned = queries.filter(isPlainObject).filter(({ ReturnData }) => ReturnData !== false);
  if (queries.length > 0 && returned.length !== 1) {
    const ids = returned.map(({ Id }) => Id);
    mustBe(['queries'], 'queries of which exactly one returns data (ReturnData: false for the others)', ids);
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
