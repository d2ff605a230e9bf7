import { Problems } from '../../../core/validation/problems';
import type { Rule } from '../../../core/validation/problems';
import type { Check, ShiftSubject } from '../../engine';
import { comparisonCheck, shareCheck } from '../../evaluation';
import type { CountSource } from '../../evaluation';
import type { CheckContext, CheckKind } from '../check-kind';
import { checkArguments, timeSpan } from './arguments';
import {
  atLeastZero,
  checkBounds,
  checkRegression,
  checkSlots,
  comparisonRules,
  comparisonSettings,
  finiteNumber,
  metricRules,
  milliseconds,
  recentRules,
  shareRules,
  shareSettings,
  silentRules,
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
import { checkChoice, checkTemplate, isOfSlot, variablesIn } from './query-template';
import { seenBefore } from './seen-before';
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
}

const queryText: Rule = {
  allowed: 'a query, as text',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
};

export const queryRules: Readonly<Record<string, Rule>> = {
  ...metricRules,
  ...recentRules,
  ...silentRules,
  query: queryText,
  requests: queryText,
  min: finiteNumber,
  max: finiteNumber,
  settle: atLeastZero,
};

const countingRules: Readonly<Record<string, Rule>> = {
  ...silentRules,
  requests: queryText,
  period: timeSpan,
  delay: atLeastZero,
};

/** Adds the problems of a query of a user and its bounds. */
export function checkQuery(
  problems: Problems,
  args: Readonly<Record<string, unknown>>,
  subject: ShiftSubject,
  variables: readonly string[],
): void {
  checkBounds(problems, args);
  checkSlots(problems, args.slots, subject);
  if (typeof args.query === 'string') {
    checkChoice(problems, args.slots, args.query);
  }
  checkTemplate(problems, 'query', args.query, variables);
  checkTemplate(problems, 'requests', args.requests, variables);
  if (args.minRequests !== undefined && args.requests === undefined) {
    problems.add(
      'requests',
      undefined,
      'a query for the number of requests: "minRequests" is held against it',
    );
  }
}

/** How one metric service counts requests. */
export interface CountingService<Access> {
  /** `datadog` */
  readonly name: string;
  /** In errors: `Datadog`. */
  readonly title: string;
  readonly times: CountingTimes;
  readonly accessRules: Readonly<Record<string, Rule>>;
  readonly required: readonly string[];
  readonly checkAccess: (problems: Problems, args: Readonly<Record<string, unknown>>) => void;
  readonly service: (context: CheckContext, access: Access) => MetricService;
  /** `{{period}}` in the words of the service. */
  readonly periodText: (milliseconds: number) => string;
  /** How a query uses it: `.rollup(sum, {{period}})`. */
  readonly periodUse: string;
  readonly rights: CheckKind<Access>['rights'];
}

/** The kinds of checks that a service which counts requests by queries can feed. */
export function countingKinds<Access>(by: CountingService<Access>): {
  readonly errorShare: CheckKind<QueryErrorShareArgs & Access>;
  readonly slowShare: CheckKind<QuerySlowShareArgs & Access>;
  readonly comparison: CheckKind<QueryComparisonArgs & Access>;
} {
  const problems =
    (
      kind: string,
      rules: Readonly<Record<string, Rule>>,
      required: readonly string[],
    ): CheckKind<unknown>['problems'] =>
    (args, subject) => {
      const found = new Problems(`${by.name}.${kind}`);
      const queries = Object.fromEntries(
        ['errors', 'slow'].filter((key) => key in rules).map((key) => [key, queryText]),
      );
      const all = { ...rules, ...by.accessRules, ...countingRules, ...queries };
      checkArguments(found, args, all, ['requests', ...required, ...by.required]);
      by.checkAccess(found, args);
      checkSlots(found, args.slots, subject);
      checkRegression(found, args.regression);
      for (const key of ['requests', ...Object.keys(queries)]) {
        checkCountQuery(found, key, args[key], by.periodUse);
      }
      return found.all;
    };
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
      delayMs: milliseconds(args.delay) ?? by.times.delayMs,
      missing: args.missing ?? 'inconclusive',
      ...times,
    });
    const seen = (what: string, query: string | undefined): readonly SeenQuery[] => {
      const figures: SeenQuery['figures'] = (from, to, signal) =>
        countFigures(context.subject, service, query!, times, [from, to], signal);
      return query === undefined ? [] : [{ source: by.title, what, query, figures }];
    };
    const queries =
      args.missing === 'zero' ? [] : [...seen('errors', args.errors), ...seen('slow requests', args.slow)];
    return seenBefore(check(source), queries, milliseconds(args.history));
  };
  const { sharePeriodMs, comparisonPeriodMs } = by.times;
  return {
    errorShare: {
      problems: problems('errorShare', { ...shareRules, errors: queryText }, ['errors', 'max']),
      create: (name, args, context) =>
        counting(context, args, sharePeriodMs, (source) =>
          shareCheck(name, source, shareSettings(args, 'errors')),
        ),
      rights: by.rights,
    },
    slowShare: {
      problems: problems('slowShare', { ...shareRules, slow: queryText }, ['slow', 'max']),
      create: (name, args, context) =>
        counting(context, args, sharePeriodMs, (source) =>
          shareCheck(name, source, shareSettings(args, 'slow')),
        ),
      rights: by.rights,
    },
    comparison: {
      problems: problems('comparison', { ...comparisonRules, errors: queryText, slow: queryText }, [
        'errors',
      ]),
      create: (name, args, context) =>
        counting(context, args, comparisonPeriodMs, (source) =>
          comparisonCheck(
            name,
            source,
            comparisonSettings(args, args.slow === undefined ? ['errors'] : ['errors', 'slow']),
          ),
        ),
      rights: by.rights,
    },
  };
}

interface CountedArgs extends CountingArgs {
  readonly errors?: string;
  readonly slow?: string;
  readonly history?: string;
}

function checkCountQuery(problems: Problems, key: string, query: unknown, periodUse: string): void {
  if (typeof query !== 'string') {
    return;
  }
  checkTemplate(problems, key, query, ['period']);
  if (!isOfSlot(query)) {
    problems.add(key, query, 'a query of one slot: with {{slot}}, {{cluster}} or {{targetGroup}}');
  }
  if (!variablesIn(query).includes('period')) {
    problems.add(key, query, `a query that counts by period: ${periodUse}`);
  }
}
