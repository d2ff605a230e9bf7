import { rolloutKind } from '../../core/kubernetes/api';
import { totalAnnotation } from '../../core/names';
import { object, optional } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { notificationField, oncePerRevision, subscribeTo } from '../argocd';
import type { NotificationService, NotificationTemplate, NotificationTrigger } from '../argocd';
import { refuseProps } from '../field-schemas';

/** How Argo CD calls a restarter. */
export interface RestartNotificationOptions {
  /** Name of the restarter; service and template are called so, too. A DNS label. */
  readonly restarter: string;
  /** URL of its EventSource: {@link RolloutRestarter.url}, or how it is reached from another cluster. */
  readonly url: string;
  /** Key of the token in the notifications' Secret of Argo CD. */
  readonly tokenKey: string;
  /**
   * An expression: one request is sent for each value of it.
   *
   * @default - one for each revision that was synchronised: an Application that flaps sends no more
   */
  readonly oncePer?: string;
}

// What Argo CD takes of them, its own constructs say.
const restartNotificationOptions = object<RestartNotificationOptions>({
  restarter: text('the name of a restarter'),
  url: text('the URL of an EventSource'),
  tokenKey: text('a key of a Secret'),
  oncePer: optional(text('an expression')),
});

/** What Argo CD's notifications need to call a restarter. */
export interface RestartNotification {
  /** How Argo CD calls the restarter: a webhook. */
  readonly service: NotificationService;
  /** What it sends. */
  readonly template: NotificationTemplate;
  /** When it calls. */
  readonly trigger: NotificationTrigger;
}

/** Name of the trigger that calls a restarter. */
function triggerName(restarter: string): string {
  return `on-degraded-${restarter}`;
}

/**
 * Service, template and trigger that call a restarter when an Application is degraded. The body is written as JSON,
 * whatever the Application is called. Give them to `argocd.Notifications` or to the notifications of a hub.
 *
 * @example
 * const { service, template, trigger } = restartNotification({
 *   restarter: 'restarter',
 *   url: restarter.url,
 *   tokenKey: 'restarter-token',
 * });
 * new argocd.Notifications(chart, 'notifications', {
 *   services: [service],
 *   templates: [template],
 *   triggers: [trigger],
 * });
 */
export function restartNotification(options: RestartNotificationOptions): RestartNotification {
  refuseProps('restartNotification', restartNotificationOptions, options);
  const { restarter, url, tokenKey, oncePer = oncePerRevision } = options;
  return {
    service: {
      kind: 'webhook',
      name: restarter,
      url,
      headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Authorization', value: `Bearer $${tokenKey}` },
      ],
    },
    template: {
      name: restarter,
      webhook: {
        [restarter]: {
          method: 'POST',
          body: {
            application: notificationField('app.metadata.name'),
            namespace: notificationField('app.spec.destination.namespace'),
          },
        },
      },
    },
    trigger: {
      name: triggerName(restarter),
      conditions: [
        {
          when: "app.status.health?.status == 'Degraded'",
          send: [restarter],
          oncePer,
          description: 'Rollouts that are stuck are restarted',
        },
      ],
    },
  };
}

/**
 * Annotations that subscribe an Application, an ApplicationSet's template or an AppProject to a restarter.
 *
 * @throws InvalidInput where the name is wrong
 */
export function subscribeToRestarts(restarter: string): Record<string, string> {
  return subscribeTo({ trigger: triggerName(restarter), service: restarter });
}

/**
 * Configuration of kube-state-metrics for restarts, as the value of `--custom-resource-state-config` (as JSON, which is
 * YAML as well): `kube_customresource_rollout_restarts_total` and `kube_customresource_rollout_restart_at`, by namespace
 * and Rollout. A Job is gone before Prometheus asks it; what it did is on the Rollout.
 *
 * kube-state-metrics needs the rights `list` and `watch` on Rollouts.
 *
 * @see https://github.com/kubernetes/kube-state-metrics/blob/main/docs/metrics/extend/customresourcestate-metrics.md
 */
export function restartMetrics(): object {
  const [group, version] = rolloutKind.apiVersion.split('/');
  const gauge = (name: string, help: string, path: readonly string[]) => ({
    name,
    help,
    each: { type: 'Gauge', gauge: { path, nilIsZero: true } },
  });
  return {
    kind: 'CustomResourceStateMetrics',
    spec: {
      resources: [
        {
          groupVersionKind: { group, version, kind: rolloutKind.kind },
          labelsFromPath: { namespace: ['metadata', 'namespace'], rollout: ['metadata', 'name'] },
          metrics: [
            gauge('rollout_restarts_total', 'How often the Rollout was restarted because it was stuck.', [
              ...['metadata', 'annotations', totalAnnotation],
            ]),
            gauge('rollout_restart_at', 'When a restart of the Rollout was last requested, by any client.', [
              ...['spec', 'restartAt'],
            ]),
          ],
        },
      ],
    },
  };
}
