import { object, optional } from '../../../core/validation/collections';
import { dnsSubdomain } from '../../../core/validation/formats';
import type { Problems } from '../../../core/validation/problems';
import { fits, flag } from '../../../core/validation/values';
import { conditions, defaultMinRequests, isWithin, secondsText, timesOf } from '../../shift-checks';
import type { AnalysisConditions, Spell } from '../../shift-checks';
import type { CheckOf, MetricProvider } from './provider';

type DatadogCheck = CheckOf<'datadog'>;

/** Settings of a metric of Datadog. */
export interface DatadogSettings {
  /**
   * Secret with `api-key`, `app-key` and, for a site other than datadoghq.com, `address` (`https://api.datadoghq.eu`). It
   * is in the controller's namespace, or with `namespaced` beside the Rollout.
   *
   * @default - the Secret `datadog` in the controller's namespace
   */
  readonly datadogSecret?: {
    /** Name of the Secret. */
    readonly name: string;
    /** Whether it is in the analysis's namespace instead of the controller's. */
    readonly namespaced?: boolean;
  };
}

/** Adds what Argo Rollouts can't ask Datadog for. */
function checkDatadogMetric(problems: Problems, path: string, { kind, args }: DatadogCheck): void {
  if (kind !== 'datadog.query') {
    return;
  }
  const at = `${path}.check.${kind}`;
  if (args.minRequests !== undefined) {
    problems.add(
      `${at}.minRequests`,
      args.minRequests,
      'left out: Argo Rollouts adds up all queries of a metric in one way; datadog.errorShare and datadog.slowShare count requests',
    );
  }
  if ((args.aggregate ?? 'last') === 'last' && args.query.includes('.as_count()')) {
    problems.add(
      `${at}.aggregate`,
      args.aggregate,
      'sum, avg, max or min for a count: Argo Rollouts takes the last interval while it is still being counted',
    );
  }
}

/**
 * A metric of Datadog for Argo Rollouts, by version 2 of the query API.
 *
 * @see https://argo-rollouts.readthedocs.io/en/stable/analysis/datadog/
 */
function datadogMetric(
  check: DatadogCheck,
  spell: Spell,
  secret: DatadogSettings['datadogSecret'],
): AnalysisConditions & { readonly provider: object } {
  const { overMs, periodMs } = timesOf(check);
  const own = { period: String(periodMs / 1000) };
  const { asked, known, within } =
    check.kind === 'datadog.query' ? ofValue(check, spell) : ofShare(check, (query) => spell(query, own));
  return {
    ...conditions(known, within, check.args.onNoData),
    provider: {
      datadog: {
        apiVersion: 'v2',
        interval: secondsText(overMs),
        ...asked,
        ...(secret && {
          secretRef: { name: secret.name, ...(secret.namespaced === true && { namespaced: true }) },
        }),
      },
    },
  };
}

interface Evaluation {
  readonly asked: object;
  readonly known: string;
  readonly within: string;
}

/** Without figures `result` is nil, which nothing can be compared with. */
const value = 'default(result, -1)';

function ofValue({ args }: Extract<DatadogCheck, { kind: 'datadog.query' }>, spell: Spell): Evaluation {
  return {
    asked: { query: spell(args.query, {}), aggregator: args.aggregate ?? 'last' },
    known: '!isNil(result)',
    within: isWithin(value, args),
  };
}

/**
 * The share, or -1 where there are too few requests: one number is all that a formula gives. `enough` is exactly 1 or 0,
 * so the share is not rounded.
 */
function ofShare(
  check: Exclude<DatadogCheck, { kind: 'datadog.query' }>,
  spell: (query: string) => string,
): Evaluation {
  const { requests, max, minRequests = defaultMinRequests } = check.args;
  const counted = check.kind === 'datadog.errorShare' ? check.args.errors : check.args.slow;
  const above = `(requests - ${minRequests - 0.5})`;
  const enough = `(abs${above} / ${above} + 1) / 2`;
  return {
    asked: {
      queries: { requests: spell(requests), counted: spell(counted) },
      formula: `default_zero(counted) / requests * (${enough}) + (${enough} - 1)`,
      aggregator: 'sum',
    },
    known: `${value} > -0.5`,
    within: isWithin(value, { max }),
  };
}

/** Metrics of Datadog. */
export const datadogProvider: MetricProvider<'datadog', DatadogSettings> = {
  name: 'Datadog',
  settings: {
    datadogSecret: optional(object({ name: fits(dnsSubdomain), namespaced: optional(flag) })),
  },
  addProblems: checkDatadogMetric,
  measured: (check, { datadogSecret }, { spell }) => datadogMetric(check, spell, datadogSecret),
};
