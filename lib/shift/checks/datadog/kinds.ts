import { across, optional } from '../../../core/validation/collections';
import { whole } from '../../../core/validation/values';
import type { Check, CheckStatus } from '../../engine';
import { checkArgs, checkKind, checkKindBy } from '../check-kind';
import type { CheckKind, CommonCheckArgs } from '../check-kind';
import { evaluateAlarms } from '../shared/alarms';
import {
  boundsJson,
  datadogTimes,
  metricDefaults,
  milliseconds,
  metricSlotProblems,
} from '../shared/metric-settings';
import {
  aggregateAll,
  aggregateSchema,
  queryCheck,
  seenQueries,
  settled,
  sumOrNull,
} from '../shared/query-check';
import type { Aggregate, ValueSource } from '../shared/query-check';
import { checkQuery, countingKinds, queryEntries } from '../shared/query-kinds';
import type {
  QueryArgs,
  QueryComparisonArgs,
  QueryErrorShareArgs,
  QuerySlowShareArgs,
} from '../shared/query-kinds';
import { fillTemplate, isOfSlot } from '../shared/query-template';
import { seenBefore } from '../shared/seen-before';
import { askDatadog, datadogAccess, datadogService } from './service';
import type { DatadogAccess } from './service';

/** What `checks.datadog.monitor` takes. */
export interface DatadogMonitorArgs extends CommonCheckArgs, DatadogAccess {
  /** The number at the end of the monitor's address. */
  readonly id: number;
}

/** A warning is no alarm: it passes, and the reason names it. */
const statuses: Readonly<Record<string, CheckStatus>> = { OK: 'pass', Warn: 'pass', Alert: 'fail' };

const monitorKind: CheckKind<DatadogMonitorArgs> = {
  asks: 'Datadog: is a monitor in alarm?',
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: checkArgs<DatadogMonitorArgs>({ id: whole(1, Number.MAX_SAFE_INTEGER), ...datadogAccess }),
  create: (name, args, context): Check => ({
    name,
    stages: ['before', 'after'],
    evaluate: async (_window, signal) => {
      const body = await askDatadog(context, args, `/api/v1/monitor/${args.id}`, {}, signal);
      const { overall_state: told } = (body ?? {}) as { overall_state?: unknown };
      const state = typeof told === 'string' ? told : 'no state';
      const status = Object.hasOwn(statuses, state) ? statuses[state]! : 'inconclusive';
      return evaluateAlarms('Datadog', [{ name: `monitor ${args.id}`, state, status }]);
    },
  }),
};

/**
 * A monitor of Datadog, before and after every step: `Alert` fails; `OK` and `Warn` pass; every other state (`No Data`,
 * `Skipped`, `Unknown`, `Ignored`) is inconclusive. A monitor that is not there is a failing source.
 *
 * @see https://docs.datadoghq.com/api/latest/monitors/get-a-monitors-details/
 */
const monitor = checkKindBy(
  'datadog.monitor',
  monitorKind,
  (id: number, more: Omit<DatadogMonitorArgs, 'id'> = {}): DatadogMonitorArgs => ({ ...more, id }),
);

/** What `checks.datadog.query` takes. */
export interface DatadogQueryArgs extends QueryArgs, DatadogAccess {
  /** How the points since the weights changed become one value. @default 'last' - the newest point that has a value */
  readonly aggregate?: Aggregate;
}

/** What `checks.datadog.errorShare` takes. */
export interface DatadogErrorShareArgs extends QueryErrorShareArgs, DatadogAccess {}

/** What `checks.datadog.slowShare` takes. */
export interface DatadogSlowShareArgs extends QuerySlowShareArgs, DatadogAccess {}

/** What `checks.datadog.comparison` takes. */
export interface DatadogComparisonArgs extends QueryComparisonArgs, DatadogAccess {}

/** A metric query of Datadog, held against bounds. Of several series, the worst one counts. */
const query = checkKind('datadog.query', {
  asks: 'Datadog: a query beyond bounds?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'nothing',
  args: across(
    checkArgs<DatadogQueryArgs>({ ...queryEntries, ...datadogAccess, aggregate: optional(aggregateSchema) }),
    (args, objections) => checkQuery(args, objections, []),
    boundsJson,
  ),
  problems: ({ slots }, subject) => metricSlotProblems(slots, subject),
  create: (name, args, context) => {
    const service = datadogService(context, args);
    const values = async (
      query: string,
      how: Aggregate,
      slot: string | undefined,
      from: number,
      to: number,
      signal: AbortSignal | undefined,
    ): Promise<readonly number[]> => {
      const filled = fillTemplate(query, context.subject, slot);
      const series = await service.series(filled, from, to, 0, signal);
      return aggregateAll(series, how);
    };
    const source: ValueSource = {
      values: (slot, from, to, signal) =>
        values(args.query, args.aggregate ?? 'last', slot, from, to, signal),
      ...(args.requests !== undefined && {
        requests: async (slot, from, to, signal) => {
          const sums = await values(args.requests!, 'sum', slot, from, to, signal);
          return sumOrNull(sums);
        },
      }),
    };
    const ofSlots = isOfSlot(args.query);
    for (const slot of ofSlots ? Object.keys(context.subject.slots) : [undefined]) {
      fillTemplate(`${args.query}${args.requests ?? ''}`, context.subject, slot);
    }
    const check = queryCheck(name, source, {
      ...args,
      ofSlots,
      overMs: milliseconds(args.over),
      isReady: settled(milliseconds(args.settle)),
    });
    return seenBefore(
      check,
      seenQueries(args, 'Datadog', args.query, ofSlots, context.subject, (...asked) =>
        source.values(...asked),
      ),
    );
  },
  canaryTimes: (args) => {
    const overMs = milliseconds(args.over) ?? metricDefaults.overMs;
    const settledMs = Math.max(overMs, milliseconds(args.settle) ?? metricDefaults.settleMs);
    const { sharePeriodMs, delayMs } = datadogTimes;
    return { overMs, periodMs: sharePeriodMs, delayMs, settledMs, countsPeriods: false };
  },
});

/** Checks on requests that Datadog counts: `sum:…{cluster:{{cluster}}}.as_count().rollup(sum, {{period}})`. */
const counting = countingKinds<DatadogAccess>({
  name: 'datadog',
  title: 'Datadog',
  times: datadogTimes,
  isUpToNow: true,
  access: datadogAccess,
  checkAccess: () => undefined,
  service: datadogService,
  periodText: (periodMs) => String(periodMs / 1000),
  periodUse: 'with .as_count().rollup(sum, {{period}})',
});

/** Checks on Datadog's metrics and monitors. */
export const datadog = {
  /** A monitor by its number. */
  monitor,
  /** A query, held against bounds. */
  query,
  /** Share of failed requests by two queries, held against a bound. */
  errorShare: checkKind<'datadog.errorShare', DatadogErrorShareArgs>(
    'datadog.errorShare',
    counting.errorShare,
  ),
  /** Share of slow requests by two queries, held against a bound. */
  slowShare: checkKind<'datadog.slowShare', DatadogSlowShareArgs>('datadog.slowShare', counting.slowShare),
  /** The slots that gain weight beside the others, by two or three queries. */
  comparison: checkKind<'datadog.comparison', DatadogComparisonArgs>(
    'datadog.comparison',
    counting.comparison,
  ),
};
