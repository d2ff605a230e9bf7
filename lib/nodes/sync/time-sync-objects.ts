import { createHash } from 'node:crypto';
import type { Manifest } from '../manifest';
import { chronyConfig } from './chrony-config';
import type { TimeSyncProps } from './time-sync-props';

/** Eight digits keep two configurations apart. */
const hashLength = 8;
const folder = '/etc/cluster-canary';
const file = 'chrony.conf';

/** chrony makes the folder with the permissions that it wants. */
const inPod = 'pidfile /run/chrony/chronyd.pid\nbindcmdaddress /run/chrony/chronyd.sock\n';

/** The objects of a time daemon on nodes. */
export function timeSyncObjects(settings: Required<TimeSyncProps>): readonly Manifest[] {
  const { name, namespace, labels, servers } = settings;
  const text = `${chronyConfig(servers)}${inPod}`;
  const configMap = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, hashLength)}`;
  const metadata = { name, namespace, labels };
  const own = { 'cluster-canary/time-sync': name };
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
