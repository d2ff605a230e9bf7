import { across, object, optional } from '../../core/validation/collections';
import { flag } from '../../core/validation/values';
import type { FleetEvent } from './event';
import { expositionText, expositionType, metricsEntries, nextExposition, noSeries } from './exposition';
import type { MetricsSettings, RouteSeries } from './exposition';
import { below, secrecyProblem, secretHeaders, sendTo, serviceAddress } from './service';
import type { SecretHeaders } from './service';
import { everyEvent, sinkKind } from './sink';
import type { Sink, SinkContext } from './sink';

/** A Pushgateway: metrics of shifts that Prometheus can't reach, such as those of a pipeline. */
export interface PushgatewaySettings extends MetricsSettings {
  /** Where it is: `http://pushgateway.monitoring.svc:9091`. */
  readonly url: string;
  /** Headers that it asks for, such as `authorization`. They need `https`. @default - none */
  readonly headers?: SecretHeaders;
  /**
   * Whether the series of a shift are deleted at the end of its run.
   *
   * @default false - the last values stay until the next run of the route: how it ended can be seen, and an alert can fire
   */
  readonly deleteAtEnd?: boolean;
}

/**
 * Each route is a group of its own, `job="cluster-canary"` with its fleet and route, which the next run of the route replaces. Let
 * Prometheus scrape the Pushgateway with `honor_labels: true`.
 *
 * @see https://github.com/prometheus/pushgateway/blob/v1.11.1/README.md
 */
export const pushgateway = sinkKind<PushgatewaySettings>({
  tells:
    'a Prometheus Pushgateway: metrics of weights, steps, checks and their figures, also after the shift',
  events: everyEvent,
  everyAnswer: true,
  settings: across(
    object<PushgatewaySettings>({
      url: serviceAddress,
      headers: optional(secretHeaders),
      deleteAtEnd: optional(flag),
      ...metricsEntries,
    }),
    ({ url, headers }, { mustBe }) => {
      const problem = secrecyProblem(url, headers);
      if (problem) {
        mustBe(['url'], problem.allowed);
      }
    },
  ),
  open: (settings, context) => pusher(settings, context),
});

/** In milliseconds; Prometheus looks less often. */
const leastBetweenPushes = 5_000;

/** What a person waits to see is pushed at once. */
const isUrgent = ({ type }: FleetEvent): boolean => type !== 'checkAnswered' && type !== 'waiting';

function pusher(
  { url, headers = {}, fleet, deleteAtEnd = false }: PushgatewaySettings,
  context: SinkContext,
): Pick<Sink, 'name' | 'deliver' | 'close'> {
  const service = { to: 'the Pushgateway', headers };
  let series = noSeries;
  let last: string | undefined;
  let pushedAt = -Infinity;
  /** Routes with news. */
  const behind = new Set<string>();

  const push = async (signal: AbortSignal): Promise<void> => {
    for (const key of behind) {
      const each = series.get(key)!;
      // What comes while it is on its way is news again.
      behind.delete(key);
      try {
        const post = { method: 'PUT', body: expositionText([each]) } as const;
        const type = { 'content-type': expositionType };
        await sendTo(service, { ...post, url: below(url, groupPath(each)), headers: type }, context, signal);
      } catch (error) {
        behind.add(key);
        throw error;
      }
    }
    pushedAt = performance.now();
  };

  return {
    name: `pushgateway ${new URL(url).host}`,
    deliver: async (event, signal) => {
      // An event whose delivery is tried again is counted once.
      if (event.id !== last) {
        last = event.id;
        const next = nextExposition(series, event, fleet);
        [...next].filter(([key, each]) => series.get(key) !== each).forEach(([key]) => behind.add(key));
        series = next;
      }
      if (isUrgent(event) || performance.now() - pushedAt >= leastBetweenPushes) {
        await push(signal);
      }
    },
    close: async (signal) => {
      if (!deleteAtEnd) {
        await push(signal);
        return;
      }
      for (const each of series.values()) {
        const post = { method: 'DELETE', url: below(url, groupPath(each)) } as const;
        await sendTo(service, { ...post, headers: { 'content-type': undefined } }, context, signal);
      }
    },
  };
}

/** Path of the group of a route; what may not be in a path goes as base64. */
export function groupPath({ fleet, route }: Pick<RouteSeries, 'fleet' | 'route'>): string {
  const labels = Object.entries({ fleet, route }).map(([label, value]) =>
    /^[\w-]+$/.test(value)
      ? `${label}/${value}`
      : `${label}@base64/${Buffer.from(value).toString('base64url') || '='}`,
  );
  return `metrics/job/cluster-canary/${labels.join('/')}`;
}
