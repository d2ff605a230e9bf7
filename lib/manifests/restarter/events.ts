import { containerSecurity, podSecurity } from '../command-pod';
import { messageArguments, restartJob } from './job';
import type { RestarterEventBus, RestarterSettings } from './props';

/** Path of the EventSource, and name of its event. */
const endpoint = '/restart';

const eventName = 'restart';

/** What an application's name looks like, in the syntax of Go's and CEL's regular expressions. */
export const applicationPattern = '[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?';

/** URL of the EventSource, as Argo Events calls its Service. */
export function restarterUrl(of: {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  readonly tls: boolean;
}): string {
  const { name, namespace, port, tls } = of;
  return `http${tls ? 's' : ''}://${name}-eventsource-svc.${namespace}.svc:${port}${endpoint}`;
}

/** A message has two names in it. In bytes; Argo CD's headers are not counted. */
const longestMessage = 4096;

const dependency = 'degraded';

/**
 * User of Argo Events' image, which names none.
 * @see https://github.com/argoproj/argo-events/blob/v1.9.10/manifests/base/controller-manager/controller-manager-deployment.yaml
 */
const user = 9731;

/** Argo Events keeps what it needs in memory and below /tmp, which is a volume. */
const template = {
  securityContext: podSecurity(user),
  container: {
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: containerSecurity,
  },
};

/** Spec of the EventBus: NATS, of a version that stays. */
export function eventBusSpec(bus: RestarterEventBus): object {
  const { version = '2.10.10', replicas = 3, volumeSize, storageClassName } = bus;
  return {
    jetstream: {
      version,
      replicas,
      // The configuration of Argo Events asks for three copies, which fewer servers can't keep.
      streamConfig: `replicas: ${Math.min(replicas, 3)}\n`,
      ...(volumeSize === undefined
        ? {}
        : { persistence: { volumeSize, ...(storageClassName === undefined ? {} : { storageClassName }) } }),
    },
  };
}

/**
 * Spec of the EventSource: a webhook that answers 401 without the token.
 * @see https://argoproj.github.io/argo-events/eventsources/setup/webhook/
 */
export function eventSourceSpec({ eventBus, port, token }: RestarterSettings, tlsSecret?: string): object {
  const ofTls = (key: string) => ({ name: tlsSecret, key });
  return {
    eventBusName: eventBus,
    template,
    service: { ports: [{ name: 'webhook', port, targetPort: port }] },
    webhook: {
      [eventName]: {
        endpoint,
        method: 'POST',
        port: String(port),
        url: '',
        maxPayloadSize: longestMessage,
        authSecret: { name: token.secret, key: token.key },
        ...(tlsSecret === undefined
          ? {}
          : { serverCertSecret: ofTls('tls.crt'), serverKeySecret: ofTls('tls.key') }),
      },
    },
  };
}

/**
 * Spec of the Sensor: one Job for each message about an allowed namespace.
 * @see https://argoproj.github.io/argo-events/sensors/triggers/k8s-object-trigger/
 */
export function sensorSpec(settings: RestarterSettings): object {
  const { name, allowedNamespaces, eventBus, sensorAccount, jobsPerMinute } = settings;
  const field = (path: string, pattern: string) => ({
    path: `body.${path}`,
    type: 'string',
    value: [pattern],
  });
  return {
    eventBusName: eventBus,
    template: { ...template, serviceAccountName: sensorAccount },
    dependencies: [
      {
        name: dependency,
        eventSourceName: name,
        eventName,
        filters: {
          dataLogicalOperator: 'and',
          data: [
            field('namespace', `^(${allowedNamespaces.join('|')})$`),
            field('application', `^${applicationPattern}$`),
          ],
        },
      },
    ],
    triggers: [
      {
        // A message that comes twice does no harm: the second Job finds a restart under way.
        atLeastOnce: true,
        retryStrategy: { steps: 5, duration: '2s', factor: 2, jitter: 0.2 },
        rateLimit: { unit: 'Minute', requestsPerUnit: jobsPerMinute },
        template: {
          name: 'restart',
          k8s: {
            operation: 'create',
            source: { resource: restartJob(settings) },
            parameters: messageArguments.map(({ position, field: key }) => ({
              src: { dependencyName: dependency, dataKey: `body.${key}` },
              dest: `spec.template.spec.containers.0.args.${position}`,
              operation: 'append',
            })),
          },
        },
      },
    ],
  };
}
