import { across, optional } from '../../../core/validation/collections';
import { checkArgs, checkKind } from '../check-kind';
import type { IamStatement } from '../check-kind';
import {
  boundsJson,
  metricDefaults,
  milliseconds,
  prometheusTimes,
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
import { fillTemplate, isOfSlot, variablesIn } from '../shared/query-template';
import { timeSpan } from '../shared/schemas';
import { seenBefore } from '../shared/seen-before';
import { workspacePermissions } from './auth';
import { checkPrometheusAccess, prometheusAccess, prometheusService } from './service';
import type { PrometheusAccess } from './service';

/** What `checks.prometheus.query` takes; `{{window}}` in a query is the time since the weights changed: `rate(x[{{window}}])`. */
export interface PrometheusQueryArgs extends QueryArgs, PrometheusAccess {
  /**
   * Asks for a range and makes one value of its points.
   *
   * @default - an instant query
   */
  readonly aggregate?: Aggregate;
  /** From one point of a range to the next; only with `aggregate`. @default '15s' */
  readonly step?: string;
}

/** What `checks.prometheus.errorShare` takes. */
export interface PrometheusErrorShareArgs extends QueryErrorShareArgs, PrometheusAccess {}

/** What `checks.prometheus.slowShare` takes. */
export interface PrometheusSlowShareArgs extends QuerySlowShareArgs, PrometheusAccess {}

/** What `checks.prometheus.comparison` takes. */
export interface PrometheusComparisonArgs extends QueryComparisonArgs, PrometheusAccess {}

const variables = ['window'];

/** From one point to the next where only the existence of a figure matters. */
const seenStepMs = 60_000;

/** A query of Prometheus, held against bounds. Of several series, the worst one counts; NaN is no figure. */
const query = checkKind('prometheus.query', {
  asks: 'Prometheus: a query beyond bounds?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'nothing',
  args: across(
    checkArgs<PrometheusQueryArgs>({
      ...queryEntries,
      ...prometheusAccess,
      step: optional(timeSpan),
      aggregate: optional(aggregateSchema),
    }),
    (args, objections) => {
      checkQuery(args, objections, variables);
      checkPrometheusAccess(args, objections);
      if (args.step !== undefined && args.aggregate === undefined) {
        objections.mustBe(['step'], 'left out, or with "aggregate": an instant query has no range');
      }
    },
    boundsJson,
  ),
  problems: ({ slots }, subject) => metricSlotProblems(slots, subject),
  create: (name, args, context) => {
    const service = prometheusService(context, args);
    const fill = (query: string, slot: string | undefined, windowMs: number): string =>
      fillTemplate(query, context.subject, slot, { window: secondsText(windowMs) });
    const source: ValueSource = {
      values: async (slot, from, to, signal) => {
        const query = fill(args.query, slot, to - from);
        const how = args.aggregate;
        if (how === undefined) {
          return service.instant(query, to, signal);
        }
        const stepMs = milliseconds(args.step) ?? metricDefaults.stepMs;
        const series = await service.series(query, from, to, stepMs, signal);
        return aggregateAll(series, how);
      },
      ...(args.requests !== undefined && {
        requests: async (slot, from, to, signal) => {
          const values = await service.instant(fill(args.requests!, slot, to - from), to, signal);
          return sumOrNull(values);
        },
      }),
    };
    const ofSlots = isOfSlot(args.query);
    for (const slot of ofSlots ? Object.keys(context.subject.slots) : [undefined]) {
      fill(`${args.query}${args.requests ?? ''}`, slot, 0);
    }
    const check = queryCheck(name, source, {
      ...args,
      ofSlots,
      overMs: milliseconds(args.over),
      isReady: settled(milliseconds(args.settle)),
    });
    const ever: ValueSource['values'] = async (slot, from, to, signal) => {
      const query = fill(args.query, slot, milliseconds(args.over) ?? metricDefaults.overMs);
      const series = await service.series(query, from, to, seenStepMs, signal);
      return aggregateAll(series, 'last');
    };
    return seenBefore(check, seenQueries(args, 'Prometheus', args.query, ofSlots, context.subject, ever));
  },
  permissions: permissionsOf,
  canaryTimes: (args) => {
    const overMs = milliseconds(args.over) ?? metricDefaults.overMs;
    const settleMs = milliseconds(args.settle) ?? metricDefaults.settleMs;
    // One moment of Prometheus; what a user's own range looks back at is not known.
    const isMoment = args.aggregate === undefined && !variablesIn(args.query).includes('window');
    const settledMs = isMoment ? settleMs : Math.max(overMs, settleMs);
    const { sharePeriodMs, delayMs } = prometheusTimes;
    return { overMs, periodMs: sharePeriodMs, delayMs, settledMs, countsPeriods: false };
  },
});

/** Checks on requests that Prometheus counts: `sum(increase(…{cluster="{{cluster}}"}[{{period}}]))`. */
const counting = countingKinds<PrometheusAccess>({
  name: 'prometheus',
  title: 'Prometheus',
  times: prometheusTimes,
  isUpToNow: false,
  access: prometheusAccess,
  checkAccess: checkPrometheusAccess,
  service: prometheusService,
  periodText: secondsText,
  periodUse: 'with increase(…[{{period}}])',
  permissions: permissionsOf,
});

/** Checks on metrics of Prometheus and of what speaks its API. */
export const prometheus = {
  /** A query, held against bounds. */
  query,
  /** Share of failed requests by two queries, held against a bound. */
  errorShare: checkKind<'prometheus.errorShare', PrometheusErrorShareArgs>(
    'prometheus.errorShare',
    counting.errorShare,
  ),
  /** Share of slow requests by two queries, held against a bound. */
  slowShare: checkKind<'prometheus.slowShare', PrometheusSlowShareArgs>(
    'prometheus.slowShare',
    counting.slowShare,
  ),
  /** The slots that gain weight beside the others, by two or three queries. */
  comparison: checkKind<'prometheus.comparison', PrometheusComparisonArgs>(
    'prometheus.comparison',
    counting.comparison,
  ),
};

/** Prometheus takes whole numbers of a unit only. */
function secondsText(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1000))}s`;
}

function permissionsOf(access: PrometheusAccess): readonly IamStatement[] {
  return workspacePermissions('aps:QueryMetrics', access);
}
