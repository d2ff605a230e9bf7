import { Problems } from '../../../core/validation/problems';
import type { Rule } from '../../../core/validation/problems';
import type { CheckKind, IamStatement } from '../check-kind';
import { checkArguments, timeSpan } from '../shared/arguments';
import { metricDefaults, milliseconds, prometheusTimes } from '../shared/metric-settings';
import {
  aggregateAll,
  aggregateRule,
  queryCheck,
  seenQueries,
  settled,
  sumOrNull,
} from '../shared/query-check';
import type { Aggregate, ValueSource } from '../shared/query-check';
import { checkQuery, countingKinds, queryRules } from '../shared/query-kinds';
import type {
  QueryArgs,
  QueryComparisonArgs,
  QueryErrorShareArgs,
  QuerySlowShareArgs,
} from '../shared/query-kinds';
import { fillTemplate, isOfSlot } from '../shared/query-template';
import { seenBefore } from '../shared/seen-before';
import { checkPrometheusAccess, prometheusAccessRules, prometheusService } from './service';
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

const stepRule: Readonly<Record<string, Rule>> = { step: timeSpan, aggregate: aggregateRule };

const variables = ['window'];

/** From one point to the next where only the existence of a figure matters. */
const seenStepMs = 60_000;

/** A query of Prometheus, held against bounds. Of several series, the worst one counts; NaN is no figure. */
export const prometheusQuery: CheckKind<PrometheusQueryArgs> = {
  problems: (args, subject) => {
    const problems = new Problems('prometheus.query');
    const rules = { ...queryRules, ...prometheusAccessRules, ...stepRule };
    checkArguments(problems, args, rules, ['query', 'address']);
    checkQuery(problems, args, subject, variables);
    checkPrometheusAccess(problems, args);
    if (args.step !== undefined && args.aggregate === undefined) {
      problems.add('step', args.step, 'left out, or with "aggregate": an instant query has no range');
    }
    return problems.all;
  },
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
  rights: rightsOf,
};

/** Checks on requests that Prometheus counts: `sum(increase(…{cluster="{{cluster}}"}[{{period}}]))`. */
export const {
  errorShare: prometheusErrorShare,
  slowShare: prometheusSlowShare,
  comparison: prometheusComparison,
} = countingKinds<PrometheusAccess>({
  name: 'prometheus',
  title: 'Prometheus',
  times: prometheusTimes,
  accessRules: prometheusAccessRules,
  required: ['address'],
  checkAccess: checkPrometheusAccess,
  service: prometheusService,
  periodText: secondsText,
  periodUse: 'with increase(…[{{period}}])',
  rights: rightsOf,
});

/** Prometheus takes whole numbers of a unit only. */
function secondsText(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1000))}s`;
}

/** The workspace's ARN would need the account, which its address does not have. */
function rightsOf({ auth }: PrometheusAccess): readonly IamStatement[] {
  return auth && 'sigV4' in auth ? [{ actions: ['aps:QueryMetrics'], resources: ['*'] }] : [];
}
