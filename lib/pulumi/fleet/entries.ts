import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { AddonResources } from '../addons';
import type { Tags } from '../aws-settings';
import { Manifests, outputToken } from '../bridge';
import type { IpFamily } from './ip-family';
import type { NodeGroup } from './nodes';
import type { Entry } from './slot-ref';

/** What an entry's target group is made of. */
export interface EntryTargetGroupArgs {
  readonly entry: Entry;
  readonly vpcId: pulumi.Input<string>;
  readonly deregistrationDelaySeconds: number;
  readonly ipFamily: IpFamily;
  /** Beside those of the slot. */
  readonly tags?: Tags;
  /** Raw arguments over everything else. */
  readonly targetGroupArgs?: Partial<aws.lb.TargetGroupArgs>;
}

/**
 * Whether target groups with these arguments keep a client with one target by a cookie, as far as plain values say it.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
 */
export function hasCookieStickiness({ stickiness }: Partial<aws.lb.TargetGroupArgs> = {}): boolean {
  const { type, enabled = true } = (stickiness ?? {}) as {
    readonly type?: unknown;
    readonly enabled?: unknown;
  };
  return enabled === true && (type === 'lb_cookie' || type === 'app_cookie');
}

/** Port of the target that the load balancer sends traffic to. */
export function trafficPort(entry: Entry): number {
  return entry.targetType === 'instance' ? entry.nodePort! : (entry.targetPort ?? entry.port);
}

/** The target group of one entry in one slot. It belongs to the program, not to a controller in the cluster. */
export function entryTargetGroup(
  name: string,
  { entry, vpcId, deregistrationDelaySeconds, ipFamily, tags, targetGroupArgs }: EntryTargetGroupArgs,
  opts: pulumi.CustomResourceOptions,
): aws.lb.TargetGroup {
  const { path = '/', port, intervalSeconds = 15, matcher = '200' } = entry.healthCheck ?? {};
  return new aws.lb.TargetGroup(
    name,
    {
      vpcId,
      targetType: entry.targetType ?? 'ip',
      // Left out for IPv4, which is AWS's default.
      ipAddressType: ipFamily === 'ipv6' ? 'ipv6' : undefined,
      protocol: 'HTTP',
      port: trafficPort(entry),
      deregistrationDelay: deregistrationDelaySeconds,
      healthCheck: {
        path,
        port: port === undefined ? 'traffic-port' : String(port),
        interval: intervalSeconds,
        // Two in a row either way: a slot's health is known in half a minute, and one lost request does not count.
        healthyThreshold: 2,
        unhealthyThreshold: 2,
        timeout: Math.min(5, intervalSeconds - 1),
        matcher,
      },
      tags,
      ...targetGroupArgs,
    },
    // A pod is registered with its own port, so another port of the entry need not replace the target group, which
    // would take the slot's targets away.
    { ...opts, ignoreChanges: entry.targetType === 'instance' ? undefined : ['port'] },
  );
}

/** What binds a Service to a target group. */
interface TargetGroupBindingProps {
  /** Name of the binding. */
  readonly name: string;
  /** The entry whose Service is bound. */
  readonly entry: Entry;
  /** The target group; may be the token of an output. */
  readonly targetGroupArn: string;
  /** EKS Auto Mode has a controller and an API group of its own. */
  readonly autoMode: boolean;
  /** Addresses of the pods. */
  readonly ipFamily: IpFamily;
}

/**
 * Registers the pods of an entry's Service in a target group that was made elsewhere.
 *
 * The target group belongs to this cluster alone, so the binding's default, under which the controller takes out
 * what it did not register itself, is the right one.
 *
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
 */
function targetGroupBinding(scope: Construct, id: string, props: TargetGroupBindingProps): ApiObject {
  const { entry, autoMode, ipFamily } = props;
  return new ApiObject(scope, id, {
    apiVersion: autoMode ? 'eks.amazonaws.com/v1' : 'elbv2.k8s.aws/v1beta1',
    kind: 'TargetGroupBinding',
    metadata: { name: props.name, namespace: entry.namespace },
    spec: {
      serviceRef: { name: entry.service, port: entry.port },
      targetGroupARN: props.targetGroupArn,
      targetType: 'ip',
      // What is left out the controller infers; so does Auto Mode's, whose API is its own.
      ...(ipFamily === 'ipv6' && !autoMode && { ipAddressType: 'ipv6' }),
    },
  });
}

/** What the component of a slot has made that its target groups are filled by. */
export interface BoundSlot extends pulumi.Resource {
  readonly kubernetes: k8s.Provider;
  readonly cluster?: pulumi.Resource;
  readonly ready: readonly pulumi.Resource[];
  readonly nodeGroups: Readonly<Record<string, NodeGroup>>;
  readonly addons: Readonly<Record<string, AddonResources>>;
  readonly targetGroups: Readonly<Record<string, aws.lb.TargetGroup>>;
}

/** How target groups are filled with pods. */
export interface BindingOptions extends Pick<TargetGroupBindingProps, 'autoMode' | 'ipFamily'> {
  /** Whether pods get readiness gates. */
  readonly readinessGates: boolean;
}

/** Has each entry's target group filled: with the nodes, or with the pods of the entry's Service. */
export function bindEntries(
  name: string,
  entries: Readonly<Record<string, Entry>>,
  options: BindingOptions,
  slot: BoundSlot,
): void {
  const all = Object.entries(entries);
  for (const [entryName] of all.filter(([, { targetType }]) => targetType === 'instance')) {
    new aws.autoscaling.Attachment(
      `${name}-${entryName}`,
      {
        autoscalingGroupName: slot.nodeGroups.nodes!.autoScalingGroupName,
        lbTargetGroupArn: slot.targetGroups[entryName]!.arn,
      },
      { parent: slot },
    );
  }
  const bound = all.filter(([, { targetType = 'ip' }]) => targetType === 'ip');
  if (bound.length > 0) {
    bindPods(name, bound, options, slot);
  }
}

function bindPods(
  name: string,
  entries: readonly (readonly [string, Entry])[],
  { readinessGates, ...cluster }: BindingOptions,
  slot: BoundSlot,
): void {
  const namespaces = [...new Set(entries.map(([, { namespace }]) => namespace))];
  const inCluster = { parent: slot, provider: slot.kubernetes, deletedWith: slot.cluster };
  // Whoever delivers the application shares the namespace, so it must outlive the entry.
  const created = namespaces.map(
    (namespace) =>
      new k8s.core.v1.Namespace(
        `${name}-${namespace}`,
        {
          metadata: {
            name: namespace,
            ...(readinessGates && {
              labels: gateLabels(
                entries.filter(([, entry]) => entry.namespace === namespace).map(([entryName]) => entryName),
                slot,
              ),
            }),
          },
        },
        { ...inCluster, retainOnDelete: true, dependsOn: [...slot.ready] },
      ),
  );
  const chart = new Chart(new App(), 'entries');
  for (const [entryName, entry] of entries) {
    targetGroupBinding(chart, entryName, {
      name: entryName,
      entry,
      targetGroupArn: outputToken(chart, slot.targetGroups[entryName]!.arn),
      ...cluster,
    });
  }
  new Manifests(
    `${name}-entries`,
    { chart, deletedWith: slot.cluster },
    {
      parent: slot,
      provider: slot.kubernetes,
      dependsOn: [...created, ...(slot.addons['aws-load-balancer-controller']?.resources ?? [])],
    },
  );
}

/**
 * Labels of a namespace whose pods get readiness gates: none while one of its target groups is on no load balancer, and its
 * targets are `unused`.
 */
function gateLabels(entries: readonly string[], slot: BoundSlot): pulumi.Output<Record<string, string>> {
  const groups = entries.map((entry) =>
    aws.lb.getTargetGroupOutput({ arn: slot.targetGroups[entry]!.arn }, { parent: slot }),
  );
  return pulumi
    .all(groups)
    .apply((found): Record<string, string> =>
      found.every(({ loadBalancerArns }) => loadBalancerArns.length > 0)
        ? { 'elbv2.k8s.aws/pod-readiness-gate-inject': 'enabled' }
        : {},
    );
}
