import { leaseNamespace } from '../clock/read-leases';
import type { Manifest } from '../manifest';
import { clockAlerts } from './clock-alerts';
import { clockTaint } from './clock-taint';
import { gatePolicy } from './gate-policy';
import type { GuardSettings } from './guard-settings';

const rbac = 'rbac.authorization.k8s.io';
const operator = 'monitoring.coreos.com/v1';

/** All objects of a guard. */
export function guardObjects(settings: GuardSettings): readonly Manifest[] {
  const { name, namespace, labels, gate, monitoring } = settings;
  const metadata = { name, namespace, labels };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ...access(settings),
    ...(gate === undefined ? [] : gatePolicy(settings)),
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deploymentSpec(settings) },
    ...(monitoring === undefined
      ? []
      : [
          {
            apiVersion: operator,
            kind: 'PodMonitor',
            metadata: { ...metadata, labels: { ...labels, ...monitoring } },
            spec: {
              selector: { matchLabels: ownLabels(settings) },
              podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', interval: '30s' }],
            },
          },
          {
            apiVersion: operator,
            kind: 'PrometheusRule',
            metadata: { ...metadata, labels: { ...labels, ...monitoring } },
            spec: { groups: [{ name: 'node-clocks', rules: clockAlerts(settings) }] },
          },
        ]),
  ];
}

/** The labels by which Deployment and PodMonitor know the pod; no user changes them. */
function ownLabels({ name }: GuardSettings): Readonly<Record<string, string>> {
  return { 'cluster-canary/clock-guard': name };
}

/**
 * Rights: to list the nodes' Leases, and with a gate to read and patch nodes. Kubernetes can't limit these to some nodes
 * or fields; the policy does.
 */
function access({ name, namespace, labels, gate }: GuardSettings): Manifest[] {
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  // Guards of several namespaces may be there.
  const role = `${namespace}-${name}`;
  const inLeases = { name: role, namespace: leaseNamespace, labels };
  const ofCluster = { name: role, labels };
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: inLeases,
      rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: inLeases,
      roleRef: { apiGroup: rbac, kind: 'Role', name: role },
      subjects,
    },
    ...(gate === undefined
      ? []
      : [
          {
            apiVersion: `${rbac}/v1`,
            kind: 'ClusterRole',
            metadata: ofCluster,
            rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] }],
          },
          {
            apiVersion: `${rbac}/v1`,
            kind: 'ClusterRoleBinding',
            metadata: ofCluster,
            roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
            subjects,
          },
        ]),
  ];
}

/** Arguments of the command. */
function guardArguments({ port, gate }: Pick<GuardSettings, 'port' | 'gate'>): string[] {
  return [
    'guard-clocks',
    `--port=${port}`,
    ...(gate === undefined ? [] : ['--gate', `--limit=${gate.limit}`, `--samples=${gate.samples}`]),
  ];
}

function deploymentSpec(settings: GuardSettings): object {
  const { name, image, command, labels, gate, port, resources, user } = settings;
  const probe = { httpGet: { path: '/healthz', port: 'metrics' }, periodSeconds: 30 };
  return {
    // One measures; a second one would measure the same.
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: ownLabels(settings) },
    template: {
      metadata: { labels: { ...labels, ...ownLabels(settings) } },
      spec: {
        serviceAccountName: name,
        // Without it no node opens, so it runs before them, and before others.
        ...(gate === undefined
          ? {}
          : {
              priorityClassName: 'system-cluster-critical',
              tolerations: [{ key: clockTaint.key, operator: 'Exists' }],
            }),
        securityContext: {
          runAsNonRoot: true,
          runAsUser: user,
          runAsGroup: user,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'guard',
            image,
            command,
            args: guardArguments(settings),
            ports: [{ name: 'metrics', containerPort: port }],
            livenessProbe: { ...probe, failureThreshold: 4 },
            readinessProbe: probe,
            resources,
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      },
    },
  };
}
