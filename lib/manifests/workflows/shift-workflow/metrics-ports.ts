import type { Objections } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';

/** A sink of a plan that Prometheus asks. */
interface MetricsSink {
  /** Place in `notify`. */
  readonly index: number;
  /** Unset where the pod alone can reach it. */
  readonly port?: number;
}

const onlyThisPod = /^(127\.|localhost:|\[::1\])/;

/** Sinks for Prometheus; the command reports problems of their settings. */
function metricsSinks(plan: unknown): readonly MetricsSink[] {
  const sinks: readonly unknown[] = isPlainObject(plan) && Array.isArray(plan.notify) ? plan.notify : [];
  return sinks.flatMap((sink, index): readonly MetricsSink[] => {
    if (!isPlainObject(sink) || !Object.hasOwn(sink, 'prometheus')) {
      return [];
    }
    const { listen } = isPlainObject(sink.prometheus) ? sink.prometheus : {};
    const [, digits] = (typeof listen === 'string' && /:(\d{1,5})$/.exec(listen)) || [];
    const isReached = digits !== undefined && !onlyThisPod.test(listen as string);
    return [{ index, ...(isReached && { port: Number(digits) }) }];
  });
}

/** Refuses sinks that Prometheus could not reach in a pod. */
export function refuseUnreachableMetrics(
  { plan, networkPolicy }: { readonly plan?: unknown; readonly networkPolicy?: unknown },
  { mustBeSecretly }: Objections,
): void {
  for (const { index, port } of metricsSinks(plan)) {
    if (port === undefined || networkPolicy !== false) {
      mustBeSecretly(
        ['plan', 'notify', index, 'prometheus'],
        'replaced by "pushgateway": Prometheus reaches no pod of the workflow. To let it, set listen: "0.0.0.0:9464" and ' +
          '"networkPolicy: false", and limit with a policy of your own who connects',
      );
    }
  }
}

/** Ports of a container for a PodMonitor: `metrics`, then `metrics-2`. */
export function metricsPorts(plan: unknown): readonly object[] {
  const ports = new Set(metricsSinks(plan).flatMap(({ port }) => port ?? []));
  return [...ports].map((containerPort, index) => ({
    name: index === 0 ? 'metrics' : `metrics-${index + 1}`,
    containerPort,
  }));
}
