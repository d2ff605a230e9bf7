import { across, optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import type { Entries, Schema, Unevaluated } from '../../../core/validation/schema';
import { duration, text } from '../../../core/validation/values';
import type { Check } from '../../engine';
import { shareCheck } from '../../evaluation';
import type { CountSource } from '../../evaluation';
import type { CheckContext } from '../check-context';
import { checkArgs } from '../check-kind';
import type { CanaryTimes, CheckKind, MetricKind, CommonCheckArgs, SimulatedCounts } from '../check-kind';
import {
  boundsEntries,
  checkBounds,
  comparisonEntries,
  comparisonSettings,
  metricDefaults,
  metricEntries,
  milliseconds,
  recentEntries,
  shareEntries,
  shareCheckSettings,
  silentEntries,
  metricSlotProblems,
} from './metric-settings';
import type {
  ComparisonArgs,
  CountingTimes,
  MetricCheck,
  RecentFigures,
  ShareArgs,
  SilentQuery,
} from './metric-settings';
import { countFigures, queryCounts } from './query-counts';
import type { MetricService } from './query-counts';
import { checkChoice, checkQueryTemplate, isOfSlot, variablesIn } from './query-template';
import { timeSpan } from './schemas';
import { seenBefore } from './seen-before';
import { bothWaysCheck, visitorsOf } from './synthetic-check';
import { querySyntheticSchema, syntheticSettings } from './synthetic-settings';
import type { QuerySyntheticArgs } from './synthetic-settings';
import type { SeenQuery } from './seen-before';

/** A query of a user, held against bounds. */
export interface QueryArgs extends MetricCheck, RecentFigures, SilentQuery {
  /** May have variables: `{{cluster}}`, `{{slot}}`, `{{targetGroup}}`, … With one of a slot, it is asked for each. */
  readonly query: string;
  /** It fails below this. @default - no lower bound */
  readonly min?: number;
  /** It fails above this. @default - no upper bound */
  readonly max?: number;
  /** A query for the number of requests in that time, for `minRequests`. */
  readonly requests?: string;
  /** How long weights stand before the first question. @default '1m' */
  readonly settle?: string;
}

/** Counts of requests by queries of a user: each has a variable of the slot, and `{{period}}`. */
export interface CountingArgs extends SilentQuery {
  /** Counts all requests of a slot. */
  readonly requests: string;
  /**
   * Length of the periods in which requests are counted.
   *
   * @default - `1m`; `20s` for shares by Datadog, which is the interval of its API
   */
  readonly period?: string;
  /**
   * From the end of a period until its figures are taken.
   *
   * @default - `30s` with Datadog, whose Agent sends every 10 seconds; `15s` with Prometheus: a scrape takes 10 at most
   */
  readonly delay?: string;
}

/** The share of failed requests by two queries. */
export interface QueryErrorShareArgs extends ShareArgs, CountingArgs {
  /** Counts the failed requests of a slot. */
  readonly errors: string;
}

/** The share of slow requests by two queries. */
export interface QuerySlowShareArgs extends ShareArgs, CountingArgs {
  /** Counts the slow requests of a slot. */
  readonly slow: string;
}

/** A comparison of slots by two or three queries. */
export interface QueryComparisonArgs extends ComparisonArgs, CountingArgs {
  /** Counts the failed requests of a slot. */
  readonly errors: string;
  /** Counts the slow requests of a slot. @default - only errors are compared */
  readonly slow?: string;
  /**
   * Requests of the shift's own to every slot, evaluated apart from those of visitors; of slow ones they say nothing.
   *
   * @default - none are sent: a fleet with few visitors is rolled back, since they decide nothing
   */
  readonly synthetic?: QuerySyntheticArgs;
}

const queryText = text('a query, as text', /\S/);

/** Schemas of {@link QueryArgs}. */
export const queryEntries = {
  ...metricEntries,
  ...recentEntries,
  ...silentEntries,
  ...boundsEntries,
  query: queryText,
  requests: optional(queryText),
  settle: optional(duration),
};

/** Objects to a query of a user without a bound, and to variables that there are not. */
export function checkQuery(
  args: Unevaluated<QueryArgs>,
  objections: Objections,
  variables: readonly string[],
): void {
  checkBounds(args, objections);
  if (typeof args.query === 'string') {
    checkChoice(args.slots, args.query, objections);
  }
  checkQueryTemplate('query', args.query, variables, objections);
  checkQueryTemplate('requests', args.requests, variables, objections);
  if (args.minRequests !== undefined && args.requests === undefined) {
    objections.mustBe(['requests'], 'a query for the number of requests: "minRequests" is held against it');
  }
}

/** How one metric service counts requests. */
export interface CountingService<Access extends object> {
  /** `datadog` */
  readonly name: string;
  /** In errors: `Datadog`. */
  readonly title: string;
  readonly times: CountingTimes;
  /** Whether canaries ask it for figures up to now, and not only for whole periods whose figures are there. */
  readonly isUpToNow: boolean;
  readonly access: Entries<Access>;
  readonly checkAccess: (args: Unevaluated<Access>, objections: Objections) => void;
  readonly service: (context: CheckContext, access: Access) => MetricService;
  /** `{{period}}` in the words of the service. */
  readonly periodText: (milliseconds: number) => string;
  /** How a query uses it: `.rollup(sum, {{period}})`. */
  readonly periodUse: string;
  readonly permissions?: CheckKind<Access & CommonCheckArgs>['permissions'];
}

/** The kinds of checks that a service which counts requests by queries can feed. */
export function countingKinds<Access extends object>(
  by: CountingService<Access>,
): {
  readonly errorShare: MetricKind<QueryErrorShareArgs & Access>;
  readonly slowShare: MetricKind<QuerySlowShareArgs & Access>;
  readonly comparison: CheckKind<QueryComparisonArgs & Access>;
} {
  const { sharePeriodMs, comparisonPeriodMs, delayMs } = by.times;
  /** The settings of a kind; each of its queries counts by period, for one slot. */
  const settings = <Args extends CommonCheckArgs & CountingArgs>(
    entries: Entries<Omit<Args, keyof CommonCheckArgs | keyof CountingArgs>>,
    queries: readonly string[],
  ): Schema<Args & Access> =>
    across(
      checkArgs<Args & Access>({ ...entries, ...by.access, ...countingEntries } as never),
      (args: Unevaluated<Args & Access>, objections) => {
        by.checkAccess(args, objections);
        for (const key of ['requests', ...queries]) {
          checkCountQuery(
            key,
            (args as Unevaluated<CountedArgs>)[key as 'requests'],
            by.periodUse,
            objections,
          );
        }
      },
    );
  /** The check, fed by the queries, which are looked for before the first step. */
  const counting = (
    context: CheckContext,
    args: CountedArgs & Access,
    defaultPeriodMs: number,
    check: (source: CountSource) => Check,
  ): Check => {
    const periodMs = milliseconds(args.period) ?? defaultPeriodMs;
    const service = by.service(context, args);
    const times = { periodMs, periodText: by.periodText(periodMs) };
    const source = queryCounts(context.subject, service, {
      queries: { requests: args.requests, errors: args.errors, slow: args.slow },
      delayMs: milliseconds(args.delay) ?? delayMs,
      missing: args.missing ?? 'inconclusive',
      ...times,
    });
    const ofVisitors = visitorsOf(source, context, () => context.ownRequests.inQueries === true);
    const seen = (what: string, query: string | undefined): readonly SeenQuery[] => {
      const figures: SeenQuery['figures'] = (from, to, signal) =>
        countFigures(context.subject, service, query!, times, [from, to], signal);
      return query === undefined ? [] : [{ source: by.title, what, query, figures }];
    };
    const queries =
      args.missing === 'zero' ? [] : [...seen('errors', args.errors), ...seen('slow requests', args.slow)];
    return seenBefore(check(ofVisitors), queries, milliseconds(args.history));
  };
  const simulatedCounts = (args: CountingArgs): SimulatedCounts => ({
    delayMs: milliseconds(args.delay) ?? delayMs,
    isSkewed: false,
  });
  const canaryTimes = (args: CountingArgs & ShareArgs): CanaryTimes => {
    const times = {
      overMs: milliseconds(args.over) ?? metricDefaults.overMs,
      periodMs: milliseconds(args.period) ?? sharePeriodMs,
      delayMs: milliseconds(args.delay) ?? delayMs,
    };
    const settledMs = times.overMs + (by.isUpToNow ? 0 : times.delayMs + times.periodMs);
    return { ...times, settledMs, countsPeriods: true };
  };
  const ofAll = {
    stages: ['before', 'after'],
    perRouter: true,
    beforeTraffic: false,
    needs: 'nothing',
    ...(by.permissions && { permissions: by.permissions }),
  } as const;
  return {
    errorShare: {
      ...ofAll,
      asks: `${by.title}: the share of failed requests, by two queries, above a bound?`,
      args: settings<QueryErrorShareArgs>({ ...shareEntries, errors: queryText }, ['errors']),
      problems: ({ slots }, subject) => metricSlotProblems(slots, subject),
      create: (name, args, context) =>
        counting(context, args, sharePeriodMs, (source) =>
          shareCheck(name, source, shareCheckSettings(args, 'errors')),
        ),
      simulated: (args) => ({ share: shareCheckSettings(args, 'errors'), counts: simulatedCounts(args) }),
      canaryTimes,
    },
    slowShare: {
      ...ofAll,
      asks: `${by.title}: the share of slow requests, by two queries, above a bound?`,
      args: settings<QuerySlowShareArgs>({ ...shareEntries, slow: queryText }, ['slow']),
      problems: ({ slots }, subject) => metricSlotProblems(slots, subject),
      create: (name, args, context) =>
        counting(context, args, sharePeriodMs, (source) =>
          shareCheck(name, source, shareCheckSettings(args, 'slow')),
        ),
      simulated: (args) => ({ share: shareCheckSettings(args, 'slow'), counts: simulatedCounts(args) }),
      canaryTimes,
    },
    comparison: {
      ...ofAll,
      asks: `${by.title}: more failed or slow requests than the old slots, by queries?`,
      args: settings<QueryComparisonArgs>(
        {
          ...comparisonEntries,
          errors: queryText,
          slow: optional(queryText),
          synthetic: optional(querySyntheticSchema),
        },
        ['errors', 'slow'],
      ),
      create: (name, args, context) => {
        if (args.synthetic) {
          context.ownRequests.inQueries = args.synthetic.inQueries;
        }
        return counting(context, args, comparisonPeriodMs, (source) =>
          bothWaysCheck(name, { source, comparison: comparedBy(args), synthetic: sentBy(args) }, context),
        );
      },
      simulated: (args) => ({
        comparison: comparedBy(args),
        historyMs: milliseconds(args.history) ?? metricDefaults.historyMs,
        counts: simulatedCounts(args),
        synthetic: sentBy(args),
      }),
      withoutMemory: `${by.name}.errorShare`,
    },
  };
}

/** Schemas of {@link CountingArgs}. */
const countingEntries = {
  ...silentEntries,
  requests: queryText,
  period: optional(timeSpan),
  delay: optional(duration),
};

function comparedBy(args: QueryComparisonArgs): ReturnType<typeof comparisonSettings> {
  return comparisonSettings(args, args.slow === undefined ? ['errors'] : ['errors', 'slow']);
}

function sentBy({ synthetic }: QueryComparisonArgs): ReturnType<typeof syntheticSettings> | undefined {
  return synthetic && syntheticSettings(synthetic, undefined);
}

interface CountedArgs extends CountingArgs {
  readonly errors?: string;
  readonly slow?: string;
  readonly history?: string;
}

function checkCountQuery(key: string, query: unknown, periodUse: string, objections: Objections): void {
  if (typeof query !== 'string') {
    return;
  }
  checkQueryTemplate(key, query, ['period'], objections);
  if (!isOfSlot(query)) {
    objections.mustBe([key], 'a query of one slot: with {{slot}}, {{cluster}} or {{targetGroup}}');
  }
  if (!variablesIn(query).includes('period')) {
    objections.mustBe([key], `a query that counts by period: ${periodUse}`);
  }
}
