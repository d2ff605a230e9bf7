import { Problems } from '../problems';
import type { Aggregate } from './aggregate';
import { aggregateAll, aggregateRule } from './aggregate';
import { checkArguments } from './argument-rules';
import type { CheckKind } from './check-kind';
import { milliseconds } from './common-arguments';
import type { DatadogAccess } from './datadog-service';
import { datadogAccessRules, datadogService } from './datadog-service';
import { datadogTimes } from './metric-defaults';
import type {
  QueryArgs,
  QueryComparisonArgs,
  QueryErrorShareArgs,
  QuerySlowShareArgs,
} from './query-arguments';
import { checkQuery, countingKinds, queryRules } from './query-arguments';
import type { ValueSource } from './query-check';
import { queryCheck, seenQueries, settled, sumOrNull } from './query-check';
import { fillTemplate, isOfSlot } from './query-template';
import { seenBefore } from './seen-before';

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
export const datadogQuery: CheckKind<DatadogQueryArgs> = {
  problems: (args, subject) => {
    const problems = new Problems('datadog.query');
    const rules = { ...queryRules, ...datadogAccessRules, aggregate: aggregateRule };
    checkArguments(problems, args, rules, ['query']);
    checkQuery(problems, args, subject, []);
    return problems.all;
  },
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
  rights: () => [],
};

/** Checks on requests that Datadog counts: `sum:…{cluster:{{cluster}}}.as_count().rollup(sum, {{period}})`. */
export const {
  errorShare: datadogErrorShare,
  slowShare: datadogSlowShare,
  comparison: datadogComparison,
} = countingKinds<DatadogAccess>({
  name: 'datadog',
  title: 'Datadog',
  times: datadogTimes,
  accessRules: datadogAccessRules,
  required: [],
  checkAccess: () => undefined,
  service: datadogService,
  periodText: (periodMs) => String(periodMs / 1000),
  periodUse: 'with .as_count().rollup(sum, {{period}})',
  rights: () => [],
});
