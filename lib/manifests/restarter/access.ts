import { roleOf, serviceAccount } from '../command-pod';
import type { Manifest } from '../objects';
import type { RestarterSettings, RolloutRestarterProps } from './props';

/** The Sensor makes Jobs; which ones, the policy says. */
const sensorRules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }];

/** A Job reads Rollouts and their pods, asks for restarts, and tells what it did. */
const jobRules = [
  { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['get', 'list', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

/** The two service accounts and their rights, in their own namespaces only. */
export function accessManifests(settings: RestarterSettings): readonly Manifest[] {
  const { name, namespace, labels, allowedNamespaces, sensorAccount, jobAccount } = settings;
  const [sensor, job] = [sensorAccount, jobAccount].map((each) => ({ name: each, namespace }));
  return [
    serviceAccount(sensor!, labels),
    serviceAccount(job!, labels),
    ...roleOf(sensor!, { name: sensorAccount, namespace, labels }, sensorRules),
    // Restarters of several namespaces may share an application's one.
    ...allowedNamespaces.flatMap((within) =>
      roleOf(job!, { name: `${namespace}-${name}`, namespace: within, labels }, jobRules),
    ),
  ];
}

/** Ports of Argo Events and NATS. @see https://github.com/argoproj/argo-events/tree/v1.9.9/pkg/reconciler */
const ports = { metrics: 7777, client: 4222, cluster: 6222 };

const tcp = (...numbers: readonly number[]) => numbers.map((port) => ({ protocol: 'TCP', port }));

const namespaceCalled = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** Specs of the NetworkPolicies, by the end of their names. */
export function networkPolicySpecs(
  settings: RestarterSettings,
  { sender = {}, monitoringNamespace, eventBus = {} }: RolloutRestarterProps,
): Readonly<Record<string, object>> {
  const { name, port, jobLabels, apiServerPorts } = settings;
  const eventSource = { matchLabels: { 'eventsource-name': name } };
  const sensor = { matchLabels: { 'sensor-name': name } };
  const bus = { matchLabels: { controller: 'eventbus-controller', 'eventbus-name': settings.eventBus } };
  const monitoring =
    monitoringNamespace === undefined
      ? []
      : [{ from: [{ namespaceSelector: namespaceCalled(monitoringNamespace) }], ports: tcp(ports.metrics) }];
  const senders =
    sender.cidrs !== undefined
      ? sender.cidrs.map((cidr) => ({ ipBlock: { cidr } }))
      : [
          {
            namespaceSelector: namespaceCalled(sender.namespace ?? 'argocd'),
            podSelector: {
              matchLabels: sender.podLabels ?? {
                'app.kubernetes.io/name': 'argocd-notifications-controller',
              },
            },
          },
        ];
  const closed = (podSelector: object, ...ingress: readonly object[]): object => ({
    podSelector,
    policyTypes: ['Ingress'],
    ingress,
  });
  return {
    job: {
      podSelector: { matchLabels: jobLabels },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      // The API server's address is in the pod's environment: no name is looked up.
      egress: [{ ports: tcp(...apiServerPorts) }],
    },
    eventsource: closed(eventSource, { from: senders, ports: tcp(port) }, ...monitoring),
    sensor: closed(sensor, ...monitoring),
    // An EventBus that was there before has other users, too.
    ...('existing' in eventBus
      ? {}
      : {
          eventbus: closed(
            bus,
            {
              from: [{ podSelector: eventSource }, { podSelector: sensor }, { podSelector: bus }],
              ports: tcp(ports.client),
            },
            { from: [{ podSelector: bus }], ports: tcp(ports.cluster) },
            ...monitoring,
          ),
        }),
  };
}
