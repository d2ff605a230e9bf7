import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { timeSyncLabel } from '../../core/names';
import { object, optional, record } from '../../core/validation/collections';
import { dnsLabel, labelKey, labelValue } from '../../core/validation/formats';
import { fits, following } from '../../core/validation/values';
import { commandPodEntries } from '../command-pod';
import { labels as labelsSchema, refuseProps, constructSubject } from '../field-schemas';
import { register } from '../objects';
import type { Manifest } from '../objects';
import { amazonTimeSync, chronyConfig, timeServers } from './node-config';

/** What a `TimeSync` is made of. */
export interface TimeSyncProps {
  /** Name of the objects. @default 'time-sync' */
  readonly name?: string;
  /** Namespace of the pods. They get the right to set the clock, so it must admit privileged pods. It is not made here. */
  readonly namespace: string;
  /** Image with chrony, by its digest: `NAME@sha256:…`. */
  readonly image: string;
  /** chrony's daemon in the image. @default ['chronyd'] */
  readonly command?: readonly string[];
  /** Labels of the nodes that have no time daemon; `{}` for all nodes. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** NTP servers, the first one preferred. @default - Amazon Time Sync */
  readonly servers?: readonly string[];
  /** Resources of the pod. @default - requests 10m and 16Mi, limit 64Mi of memory */
  readonly resources?: object;
  /** Labels of all objects. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
}

const timeSyncProps = object<TimeSyncProps>({
  name: optional(fits(dnsLabel)),
  namespace: fits(dnsLabel),
  image: commandPodEntries.image,
  command: commandPodEntries.command,
  nodeSelector: record(
    following(labelValue),
    following(labelKey),
    'labels of the nodes that have no time daemon, or {}',
  ),
  servers: optional(following(timeServers)),
  resources: commandPodEntries.resources,
  labels: optional(labelsSchema),
});

/** Fills in the defaults. */
function timeSyncSettings(props: TimeSyncProps): Required<TimeSyncProps> {
  const { name = 'time-sync', namespace, image, nodeSelector, labels } = props;
  return {
    ...{ name, namespace, image, nodeSelector },
    command: props.command ?? ['chronyd'],
    servers: props.servers ?? amazonTimeSync,
    resources: props.resources ?? { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    labels: { 'app.kubernetes.io/name': 'time-sync', 'app.kubernetes.io/instance': name, ...labels },
  };
}

/** Eight digits keep two configurations apart. */
const hashLength = 8;

const folder = '/etc/cluster-canary';

const file = 'chrony.conf';

/** chrony makes the folder with the permissions that it wants. */
const inPod = 'pidfile /run/chrony/chronyd.pid\nbindcmdaddress /run/chrony/chronyd.sock\n';

/** The objects of a time daemon on nodes. */
function timeSyncObjects(settings: Required<TimeSyncProps>): readonly Manifest[] {
  const { name, namespace, labels, servers } = settings;
  const text = `${chronyConfig(servers)}${inPod}`;
  const configMap = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, hashLength)}`;
  const metadata = { name, namespace, labels };
  const own = { [timeSyncLabel]: name };
  return [
    // A new configuration is a new name, so that pods start anew with it.
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', immutable: true, data: { [file]: text } },
      metadata: { ...metadata, name: configMap },
    },
    {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      automountServiceAccountToken: false,
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata },
      spec: {
        selector: { matchLabels: own },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
        template: {
          metadata: { labels: { ...labels, ...own } },
          spec: podSpec(settings, configMap),
        },
      },
    },
  ];
}

function podSpec(settings: Required<TimeSyncProps>, configMap: string): object {
  const { name, image, command, nodeSelector, resources } = settings;
  const state = { state: '/var/lib/chrony', run: '/run' };
  return {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    // Link-local addresses are the node's, and name servers may not be there yet.
    hostNetwork: true,
    dnsPolicy: 'Default',
    nodeSelector: { 'kubernetes.io/os': 'linux', ...nodeSelector },
    // Before all others, also on nodes that take no pods until their clock is right.
    priorityClassName: 'system-node-critical',
    tolerations: [{ operator: 'Exists' }],
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'chrony',
        image,
        command,
        // In the foreground, with its messages on stderr, and without changing its user.
        args: ['-d', '-f', `${folder}/${file}`, '-u', 'root'],
        resources,
        securityContext: {
          // Only root keeps a capability over the start of a program; it is left with this one alone.
          runAsUser: 0,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], add: ['SYS_TIME'] },
        },
        volumeMounts: [
          { name: 'config', mountPath: folder, readOnly: true },
          ...Object.entries(state).map(([volume, mountPath]) => ({ name: volume, mountPath })),
        ],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: configMap } },
      ...Object.keys(state).map((volume) => ({ name: volume, emptyDir: {} })),
    ],
  };
}

/**
 * Keeps the clocks of nodes in time that have no time daemon of their own: chrony as a DaemonSet.
 *
 * The clock belongs to the whole machine, so two daemons on one node pull at it: choose the nodes by a label. Nodes of
 * EKS don't need it, neither Amazon Linux 2023 nor Bottlerocket; where one can, a time daemon in the image is better, as
 * it starts before kubelet does.
 *
 * @example
 * new timeSync.TimeSync(chart, 'time', {
 *   namespace: 'time-sync',
 *   image: 'registry.example.com/chrony@sha256:…',
 *   nodeSelector: { 'example.com/time-daemon': 'none' },
 *   servers: ['ntp1.example.com', 'ntp2.example.com', 'ntp3.example.com'],
 * });
 */
export class TimeSync extends Construct {
  /** The DaemonSet. */
  public readonly daemonSet: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: TimeSyncProps) {
    refuseProps(constructSubject('TimeSync', id, props), timeSyncProps, props);
    super(scope, id);
    const objects = register(this, timeSyncObjects(timeSyncSettings(props)));
    this.daemonSet = objects.find(({ kind }) => kind === 'DaemonSet')!;
  }
}
