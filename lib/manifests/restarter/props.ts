import { evaluatedNamespace } from '../../core/admission/requests';
import { parseDuration } from '../../core/durations';
import { restarterLabel } from '../../core/names';
import { across, either, list, object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsLabelUpTo, dnsSubdomain, networkCidr } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { duration, fits, flag, text, that, whole } from '../../core/validation/values';
import { commandPodEntries } from '../command-pod';
import { labels, repeatedIn, secretValue } from '../field-schemas';

/** Where the shared secret of Argo CD and the EventSource is kept. */
export interface TokenSecret {
  /** Name of the Secret, in the namespace of the restarter. It is not made here. */
  readonly secret: string;
  /** Key in the Secret whose value is the token. */
  readonly key: string;
}

/** The EventBus that is made for the restarter. */
export interface RestarterEventBus {
  /**
   * Version of NATS, one of those in the configuration of Argo Events; never `latest`, which is another one tomorrow.
   *
   * @default '2.10.10' - the newest that Argo Events 1.9 brings
   * @see https://github.com/argoproj/argo-events/blob/v1.9.9/manifests/base/controller-manager/controller-config.yaml
   */
  readonly version?: string;
  /** Servers. @default 3 - the fewest that survive the loss of one */
  readonly replicas?: number;
  /** Volume of each server: a size such as `1Gi`. @default - none: messages live as long as the servers */
  readonly volumeSize?: string;
  /** Storage class of the volumes. @default - the cluster's */
  readonly storageClassName?: string;
}

/** What a `RolloutRestarter` is made of. */
export interface RolloutRestarterProps {
  /** Name of the objects: a DNS label of at most 40 characters, since Argo Events makes longer names of it. */
  readonly name: string;
  /**
   * Namespace of all objects, best one of its own: EventSource, Sensor, EventBus and Jobs run here, beside no application.
   */
  readonly namespace: string;
  /** Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. The policy admits no other one. */
  readonly image: string;
  /** The command in the image. @default ['cluster-canary'] */
  readonly command?: readonly string[];
  /** Namespaces whose Rollouts may be restarted. A message about another one leads to nothing. */
  readonly allowedNamespaces: readonly string[];
  /** The bearer token that a request must carry. */
  readonly token: TokenSecret;
  /**
   * A Secret of the namespace with `tls.crt` and `tls.key`, as cert-manager makes it. To be given where Argo CD runs in
   * another cluster.
   *
   * @default - plain HTTP, within the cluster
   */
  readonly tlsSecret?: string;
  /** Port of the EventSource. @default 12000 */
  readonly port?: number;
  /** Time between two restarts of a Rollout. @default '30m' - three times the usual progress deadline */
  readonly coolDown?: string;
  /** How often a Rollout is restarted within 24 hours. @default 3 - what does not help three times does not help */
  readonly perDay?: number;
  /** How many pods a Rollout must want. @default 2 - with one, it would have none for a while */
  readonly minReplicas?: number;
  /** How long pods may take to become available after the message. @default '5m' */
  readonly wait?: string;
  /** How many Jobs a minute the Sensor makes at most; the rest waits. @default 10 */
  readonly jobsPerMinute?: number;
  /** How long a finished Job is kept. @default '24h' */
  readonly keepJobs?: string;
  /**
   * The EventBus `default` of the namespace, or the name of one that is there: Argo Events needs one in each namespace.
   *
   * @default - one of three servers is made
   */
  readonly eventBus?:
    | RestarterEventBus
    | {
        /** Name of an EventBus in the namespace of the restarter. */
        readonly existing: string;
      };
  /**
   * Whether NetworkPolicies say who reaches what: the EventSource is reached from Argo CD's notifications controller, the
   * EventBus from EventSource and Sensor, nothing else from nowhere; Jobs reach the API server's ports and nothing else.
   *
   * @default true
   */
  readonly networkPolicy?: boolean;
  /** Who sends requests. @default - the notifications controller of Argo CD, in the namespace `argocd` */
  readonly sender?: {
    /** Namespace of the pods that send. @default 'argocd' */
    readonly namespace?: string;
    /** Labels of its pods. @default { 'app.kubernetes.io/name': 'argocd-notifications-controller' } */
    readonly podLabels?: Readonly<Record<string, string>>;
    /** Addresses, where it comes from outside of the cluster. @default - it runs in the cluster */
    readonly cidrs?: readonly string[];
  };
  /** Ports that API servers have behind the Service. @default [443, 6443] - EKS's and kubeadm's */
  readonly apiServerPorts?: readonly number[];
  /** Namespace whose pods may read the metrics of Argo Events, on port 7777. @default - none */
  readonly monitoringNamespace?: string;
  /** Resources of the Jobs' pods. @default - requests 50m and 128Mi, limit 512Mi of memory */
  readonly resources?: object;
  /** User and group that the Jobs' pods run as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Labels of all objects. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A duration of so many seconds, up to a week. */
function secondsFrom(min: number): Schema<string> {
  return that(duration, `from ${min}s to 168h`, (value) => {
    const given = parseDuration(value)! / 1000;
    return given >= min && given <= 7 * 24 * 3600;
  });
}

type EventBus = NonNullable<RolloutRestarterProps['eventBus']>;

const madeEventBus = across(
  object<RestarterEventBus>({
    version: optional(
      text('a version such as "2.10.10": "latest" is another one tomorrow', /^\d+\.\d+\.\d+(-[a-z0-9]+)?$/),
    ),
    replicas: optional(whole(1, 9)),
    volumeSize: optional(text('a size such as "1Gi"', /^[1-9]\d*(Ki|Mi|Gi|Ti)$/)),
    storageClassName: optional(fits(dnsSubdomain)),
  }),
  ({ storageClassName, volumeSize }, { mustBe }) => {
    if (storageClassName !== undefined && volumeSize === undefined) {
      mustBe(['volumeSize'], 'given, where "storageClassName" is');
    }
  },
);

const eventBus = either<EventBus>(
  'an object with existing, or with version, replicas, volumeSize, storageClassName',
  {
    when: (value) => isPlainObject(value) && 'existing' in value,
    schema: object<Extract<EventBus, { existing: string }>>({ existing: fits(dnsLabel) }),
  },
  { when: () => true, schema: madeEventBus },
);

/** Props of a `RolloutRestarter`. */
export const rolloutRestarterProps: Schema<RolloutRestarterProps> = across(
  object<RolloutRestarterProps>({
    // `NAME-eventsource-svc` is the name of a Service, and pods have longer names yet.
    name: fits(dnsLabelUpTo(40)),
    namespace: fits(evaluatedNamespace),
    ...commandPodEntries,
    allowedNamespaces: list(fits(evaluatedNamespace), 1, 'a list with at least one namespace'),
    token: secretValue,
    tlsSecret: optional(fits(dnsSubdomain)),
    port: optional(whole(1024, 65_535)),
    coolDown: optional(secondsFrom(60)),
    perDay: optional(whole(1, 100)),
    minReplicas: optional(whole(1, 1_000)),
    wait: optional(secondsFrom(0)),
    jobsPerMinute: optional(whole(1, 1_000)),
    keepJobs: optional(secondsFrom(60)),
    eventBus: optional(eventBus),
    networkPolicy: optional(flag),
    sender: optional(
      object<NonNullable<RolloutRestarterProps['sender']>>({
        namespace: optional(fits(dnsLabel)),
        podLabels: optional(labels),
        cidrs: optional(list(fits(networkCidr))),
      }),
    ),
    apiServerPorts: optional(list(whole(1, 65535))),
    monitoringNamespace: optional(fits(dnsLabel)),
    labels: optional(labels),
  }),
  ({ allowedNamespaces, namespace }, { mustBe }) => {
    for (const position of repeatedIn(allowedNamespaces)) {
      mustBe(['allowedNamespaces', position], 'in the list once');
    }
    for (const [position, each] of (Array.isArray(allowedNamespaces) ? allowedNamespaces : []).entries()) {
      if (typeof each === 'string' && each === namespace) {
        mustBe(
          ['allowedNamespaces', position],
          "another one than the restarter's own: no application runs in it",
        );
      }
    }
  },
);

/** The props with every default in its place, and the names that follow from them. */
export interface RestarterSettings extends Required<
  Pick<
    RolloutRestarterProps,
    'name' | 'namespace' | 'image' | 'command' | 'allowedNamespaces' | 'token' | 'port' | 'apiServerPorts'
  >
> {
  readonly labels: Readonly<Record<string, string>>;
  /** Labels by which NetworkPolicies find the Jobs' pods; no user changes them. */
  readonly jobLabels: Readonly<Record<string, string>>;
  /** Service account of the Sensor. */
  readonly sensorAccount: string;
  /** Service account of the Jobs. */
  readonly jobAccount: string;
  /** Name of the EventBus. */
  readonly eventBus: string;
  readonly coolDown: string;
  readonly perDay: number;
  readonly minReplicas: number;
  readonly wait: string;
  readonly jobsPerMinute: number;
  readonly deadlineSeconds: number;
  readonly keepSeconds: number;
  readonly user: number;
  readonly resources: object;
}

/** Pulling the image and starting take their time, too; in seconds. */
const start = 300;

/** Fills in the defaults of props in which nothing is wrong. */
export function restarterSettings(props: RolloutRestarterProps): RestarterSettings {
  const { name, namespace, image, allowedNamespaces, token, eventBus: bus = {} } = props;
  const wait = props.wait ?? '5m';
  return {
    ...{ name, namespace, image, allowedNamespaces, token, wait },
    command: props.command ?? ['cluster-canary'],
    port: props.port ?? 12_000,
    apiServerPorts: props.apiServerPorts ?? [443, 6443],
    labels: {
      'app.kubernetes.io/name': 'rollout-restarter',
      'app.kubernetes.io/instance': name,
      ...props.labels,
    },
    jobLabels: { [restarterLabel]: name },
    sensorAccount: `${name}-sensor`,
    jobAccount: `${name}-job`,
    eventBus: 'existing' in bus ? bus.existing : 'default',
    coolDown: props.coolDown ?? '30m',
    perDay: props.perDay ?? 3,
    minReplicas: props.minReplicas ?? 2,
    jobsPerMinute: props.jobsPerMinute ?? 10,
    deadlineSeconds: seconds(wait) + start,
    keepSeconds: seconds(props.keepJobs ?? '24h'),
    user: props.user ?? 65_532,
    resources: props.resources ?? {
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    },
  };
}

function seconds(duration: string): number {
  return Math.ceil(parseDuration(duration)! / 1000);
}
