import { isOwnCluster } from '../../core/kubernetes/access';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { clusterEntries } from '../../core/kubernetes/access-schema';
import type { KubernetesObject } from '../../core/kubernetes/api';
import { KubernetesError, isKubernetesError } from '../../core/kubernetes/errors';
import { eventReporter } from '../../core/names';
import { object } from '../../core/validation/collections';
import { dnsLabelText } from '../../core/validation/values';
import type { FleetEvent } from './event';
import { cut, messageOf } from './message';
import { DeliveryFailed, everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings, PlacedLease } from './sink';

/** Events of Kubernetes, as `kubectl get events` lists them. */
export interface KubernetesEventsSettings
  extends CommonSinkSettings, Omit<KubernetesSettings, 'kubeconfigText'> {
  /** Namespace of the Events. */
  readonly namespace: string;
}

/**
 * Each event as an Event of `events.k8s.io/v1`. It is about the Lease of the shift where that is in the same namespace, else about the
 * namespace. The API server keeps Events for an hour by default.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export const kubernetesEvents = sinkKind<KubernetesEventsSettings>({
  tells: 'Kubernetes: each event as an Event in a namespace, about the Lease of the shift',
  events: everyEvent,
  settings: object<KubernetesEventsSettings>({
    namespace: dnsLabelText,
    ...clusterEntries,
    ...sinkEntries,
  }),
  open: (settings, context) => ({
    name: `kubernetesEvents ${settings.context ?? settings.kubeconfig ?? ''} ${settings.namespace}`.replace(
      '  ',
      ' ',
    ),
    deliver: async (event, signal) => {
      const { kubeconfig, context: name } = settings;
      const api = await context.kubernetes({ kubeconfig, context: name });
      try {
        await api.create(eventObject(settings, event, context.leaseOf?.(event.route)), { signal });
      } catch (error) {
        signal.throwIfAborted();
        // The answer to an earlier try was lost.
        if (!isKubernetesError(error, 'alreadyExists')) {
          throw failureOf(error);
        }
      }
    },
  }),
  access: ({ namespace, kubeconfig, context }) => ({
    at: { kubeconfig, context },
    rules: [{ apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'], namespace }],
  }),
});

function failureOf(error: unknown): DeliveryFailed {
  const { message } = error as Error;
  const final =
    error instanceof KubernetesError &&
    !isKubernetesError(error, 'unreachable', 'throttled', 'faulty', 'conflict');
  return new DeliveryFailed(message, { final }, { cause: error });
}

/** In bytes. */
const longestNote = 1_024;
const longestInstance = 128;

/** The Event; its name follows from the id of the event, so that a second one is refused. */
export function eventObject(
  settings: KubernetesEventsSettings,
  event: FleetEvent,
  lease?: PlacedLease,
): KubernetesObject {
  const { namespace } = settings;
  const { headline, text, tone } = messageOf(event);
  const isThere = lease?.namespace === namespace && isSameCluster(lease.at, settings);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: `cluster-canary-${event.id.toLowerCase().replace(/[^a-z0-9-]/g, '-')}`
        .slice(0, 253)
        .replace(/-+$/, ''),
      namespace,
    },
    eventTime: microTime(event.at),
    type: tone === 'bad' || tone === 'warning' ? 'Warning' : 'Normal',
    reason: `Shift${event.type.charAt(0).toUpperCase()}${event.type.slice(1)}`,
    action: 'ShiftTraffic',
    reportingController: eventReporter,
    reportingInstance: cutBytes(event.by, longestInstance) || 'unknown',
    note: cutBytes(`${headline}. ${text}`, longestNote),
    regarding: isThere
      ? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: lease.name, namespace }
      : { apiVersion: 'v1', kind: 'Namespace', name: namespace, namespace },
  };
}

function isSameCluster(one: KubernetesSettings, other: KubernetesSettings): boolean {
  return (
    (isOwnCluster(one) && isOwnCluster(other)) ||
    (one.kubeconfig === other.kubeconfig && one.context === other.context)
  );
}

/** `2031-05-06T07:08:09.000000Z`: six digits, as the API server wants them. */
function microTime(at: string): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

function cutBytes(text: string, most: number): string {
  let line = cut(text, most);
  while (Buffer.byteLength(line) > most) {
    line = cut(line, Math.min(line.length - 1, most));
  }
  return line;
}
