import { parseDuration } from '../../../core/durations';
import { optional } from '../../../core/validation/collections';
import { that } from '../../../core/validation/values';
import { proxyAccess } from '../../http-proxy';
import type { ProxyAccess } from '../../http-proxy';
import { checkArgs, checkKind } from '../check-kind';
import {
  comparisonEntries,
  comparisonSettings,
  httpProxyTimes,
  metricDefaults,
  milliseconds,
} from '../shared/metric-settings';
import type { ComparisonArgs } from '../shared/metric-settings';
import { timeSpan } from '../shared/schemas';
import { bothWaysCheck } from '../shared/synthetic-check';
import { syntheticSchema, syntheticSettings } from '../shared/synthetic-settings';
import type { SyntheticArgs } from '../shared/synthetic-settings';
import { proxyCounts } from './counts';

/** What `checks.httpProxy.comparison` takes. */
export interface HttpProxyComparisonArgs extends ComparisonArgs, ProxyAccess {
  /** Compares the share of requests that took longer, too: one of the bounds of the proxy. @default - only errors are compared */
  readonly slowAbove?: string;
  /** Length of the periods in which requests are counted, in whole seconds. @default '1m' */
  readonly period?: string;
  /**
   * Requests of the shift's own to every slot, evaluated apart from those of visitors: the proxy does not count previews.
   *
   * @default - none are sent: a fleet with few visitors is rolled back, since they decide nothing
   */
  readonly synthetic?: SyntheticArgs;
}

const wholeSeconds = that(
  timeSpan,
  'a duration of whole seconds: "10s"',
  (value) => (parseDuration(value) ?? 0) % 1_000 === 0,
);

function comparedBy(args: HttpProxyComparisonArgs): ReturnType<typeof comparisonSettings> {
  return comparisonSettings(args, args.slowAbove === undefined ? ['errors'] : ['errors', 'slow']);
}

/** A comparison of slots by the counts of the proxy that leads to them; see `compareSlots` for the method. */
const comparison = checkKind('httpProxy.comparison', {
  asks: 'The counts of an HTTP proxy: more failed or slow requests than the old slots?',
  stages: ['before', 'after'],
  perRouter: true,
  beforeTraffic: false,
  needs: 'nothing',
  args: checkArgs<HttpProxyComparisonArgs>({
    ...comparisonEntries,
    ...proxyAccess,
    slowAbove: optional(timeSpan),
    period: optional(wholeSeconds),
    synthetic: optional(syntheticSchema),
  }),
  create: (name, args, context) => {
    const slowAboveMs = milliseconds(args.slowAbove);
    const periodMs = milliseconds(args.period) ?? httpProxyTimes.comparisonPeriodMs;
    return bothWaysCheck(
      name,
      {
        source: proxyCounts(context, args, { periodMs, slowAboveMs }),
        comparison: comparedBy(args),
        synthetic: args.synthetic && syntheticSettings(args.synthetic, slowAboveMs),
      },
      context,
    );
  },
  simulated: (args) => ({
    comparison: comparedBy(args),
    historyMs: milliseconds(args.history) ?? metricDefaults.historyMs,
    counts: { delayMs: httpProxyTimes.delayMs, isSkewed: false },
    synthetic: args.synthetic && syntheticSettings(args.synthetic, milliseconds(args.slowAbove)),
  }),
});

/** Checks on what an HTTP proxy counts: that of `cluster-canary demo`, or one of your own with the same admin API. */
export const httpProxy = {
  /** The slots that gain weight beside the others. */
  comparison,
};
