import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { leaseNamespace } from '../../core/kubernetes/api';
import { clockGuardLabel, clockTaint, intentAnnotation } from '../../core/names';
import { commandPodSpec, roleOf, serviceAccount } from '../command-pod';
import { refuseProps, constructSubject } from '../field-schemas';
import { register } from '../objects';
import type { Manifest } from '../objects';
import { clockAlerts } from './alerts';
import { clockSkewGuardProps, guardSettings } from './props';
import type { ClockSkewGuardProps, GuardSettings } from './props';

/** What the API server itself changes with a write. */
const ownFields = ['resourceVersion', 'generation', 'managedFields'];

/** Who is asked: the guard's account alone. */
interface GatePolicyProps {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The policy that limits the guard: of a node, its account takes away the one taint, and changes nothing else. The right
 * to patch a node is the right to cordon it, and to label it so that it draws other pods.
 *
 * `ValidatingPolicy` refuses rules for nodes, because an expression that fails would stop every kubelet. Here the match
 * condition comes first and can't fail, so that only the guard is ever evaluated.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
function gatePolicy({ name, namespace, labels }: GatePolicyProps): readonly Manifest[] {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const metadata = {
    name: `nodes.${name}.${namespace}.cluster-canary`,
    labels,
    annotations: { [intentAnnotation]: 'security' },
  };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          resourceRules: [
            { operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'] },
          ],
        },
        matchConditions: [
          { name: 'guard', expression: `request.userInfo.username == ${JSON.stringify(user)}` },
        ],
        variables: [
          { name: 'now', expression: taintsOf('object') },
          { name: 'before', expression: taintsOf('oldObject') },
        ],
        validations: [
          [
            `variables.now == variables.before.filter(t, t.key != ${JSON.stringify(clockTaint.key)})`,
            `takes the taint ${clockTaint.key} away, and changes no other one`,
          ],
          [equalBut(['taints'], 'object.spec', 'oldObject.spec'), 'changes nothing of the spec but taints'],
          [equalBut(ownFields, 'object.metadata', 'oldObject.metadata'), 'changes no metadata'],
          ['object.status == oldObject.status', 'changes no status'],
        ].map(([expression, what]) => ({
          expression,
          message: `${user} ${what!}`,
          reason: 'Forbidden',
        })),
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ];
}

function taintsOf(object: string): string {
  return `has(${object}.spec.taints) ? ${object}.spec.taints : []`;
}

/** Whether two maps are equal but for some keys. */
function equalBut(keys: readonly string[], now: string, before: string): string {
  const oneWay = (one: string, other: string): string =>
    `dyn(${one}).all(k, k in ${JSON.stringify(keys)} || (k in dyn(${other}) && dyn(${one})[k] == dyn(${other})[k]))`;
  return `${oneWay(now, before)} && ${oneWay(before, now)}`;
}

const operator = 'monitoring.coreos.com/v1';

/** All objects of a guard. */
function guardObjects(settings: GuardSettings): readonly Manifest[] {
  const { name, namespace, labels, gate, monitoring } = settings;
  const metadata = { name, namespace, labels };
  return [
    serviceAccount({ name, namespace }, labels),
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
  return { [clockGuardLabel]: name };
}

/**
 * Rights: to list the nodes' Leases, and with a gate to read and patch nodes. Kubernetes can't limit these to some nodes
 * or fields; the policy does.
 */
function access({ name, namespace, labels, gate }: GuardSettings): readonly Manifest[] {
  const account = { name, namespace };
  // Guards of several namespaces may be there.
  const role = `${namespace}-${name}`;
  return [
    ...roleOf(account, { name: role, namespace: leaseNamespace, labels }, [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
    ]),
    ...(gate === undefined
      ? []
      : roleOf(account, { name: role, labels }, [
          { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] },
        ])),
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
      spec: commandPodSpec({
        serviceAccountName: name,
        // Without it no node opens, so it runs before them, and before others.
        ...(gate === undefined
          ? {}
          : {
              priorityClassName: 'system-cluster-critical',
              tolerations: [{ key: clockTaint.key, operator: 'Exists' }],
            }),
        user,
        container: {
          name: 'guard',
          image,
          command,
          args: guardArguments(settings),
          ports: [{ name: 'metrics', containerPort: port }],
          livenessProbe: { ...probe, failureThreshold: 4 },
          readinessProbe: probe,
          resources,
        },
      }),
    },
  };
}

/**
 * Measures the clocks of all nodes and raises alerts, without anything on the nodes: a small Deployment compares what each
 * kubelet writes into its Lease with the API server's time of that write, and offers the skew of every node as a metric.
 * It cordons and taints nothing.
 *
 * With a `gate`, nodes that start with the taint `cluster-canary/clock` take pods only when their clock is right. The guard
 * then runs on such nodes as well. It belongs into each cluster, by the way that the cluster's first software comes: where
 * Argo CD delivers it to its own cluster, whose nodes are all gated, neither of them starts.
 *
 * Needs the Prometheus Operator's definitions, unless `monitoring` is `false`.
 *
 * @example
 * new clockGuard.ClockSkewGuard(chart, 'clocks', {
 *   namespace: 'clock-guard',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   gate: true,
 * });
 */
export class ClockSkewGuard extends Construct {
  /** The Deployment. */
  public readonly deployment: ApiObject;
  /** The service account of its pod. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClockSkewGuardProps) {
    refuseProps(constructSubject('ClockSkewGuard', id, props), clockSkewGuardProps, props);
    super(scope, id);
    const settings = guardSettings(props);
    const { name, namespace } = settings;
    this.serviceAccount = { namespace, name };
    const objects = register(this, guardObjects(settings));
    this.deployment = objects.find(({ kind }) => kind === 'Deployment')!;
    // Before there is a policy, its account could change anything of a node.
    this.deployment.addDependency(
      ...objects.filter(({ kind }) => /^(Validating|Role|ClusterRole)/.test(kind)),
    );
  }
}
