import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import type { AddonResources } from '../addons';
import { Manifests, outputToken } from '../bridge';
import type { NodeGroup } from './node-group';
import type { Entry } from './slot-ref';
import type { TargetGroupBindingProps } from './target-group-binding';
import { targetGroupBinding } from './target-group-binding';

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
