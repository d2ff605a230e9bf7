import type { AllowStatement } from '../../core/aws/iam';
import { claimTags } from './leftovers';
import type { DrainSettings } from './settings';

/** Reading what controllers left behind. AWS knows no narrower resource for it. */
export const listLeftovers: AllowStatement = {
  Sid: 'FindLeftovers',
  Effect: 'Allow',
  Action: [
    'elasticloadbalancing:DescribeLoadBalancers',
    'ec2:DescribeInstances',
    'ec2:DescribeVolumes',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSecurityGroups',
  ],
  Resource: '*',
};

/**
 * Deleting what controllers of these clusters left behind: what has one of the tags that they give. A rule that names such
 * a security group may be in a group of anybody's: the load balancer controller puts one on the nodes'.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/main/docs/install/iam_policy.json
 * @see https://karpenter.sh/docs/reference/cloudformation/
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/iam-policy.md
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEBSCSIDriverEKSClusterScopedPolicy.html
 */
export function sweepLeftovers(
  clusterNames: readonly string[],
  { volumes = 'keep' }: Pick<DrainSettings, 'volumes'>,
): readonly AllowStatement[] {
  // Volumes are kept unless the user says otherwise.
  const Action = [
    'elasticloadbalancing:DeleteLoadBalancer',
    'elasticloadbalancing:DeleteTargetGroup',
    'ec2:TerminateInstances',
    ...(volumes === 'delete' ? ['ec2:DeleteVolume'] : []),
    'ec2:DeleteNetworkInterface',
    'ec2:DeleteSecurityGroup',
  ];
  const values = new Map<string, Set<string>>();
  for (const { key, value } of clusterNames.flatMap(claimTags)) {
    values.set(key, (values.get(key) ?? new Set<string>()).add(value));
  }
  return [
    ...[...values].map(([key, names]): AllowStatement => ({
      ...{ Sid: 'SweepLeftovers', Effect: 'Allow', Action, Resource: '*' },
      Condition: { StringEquals: { [`aws:ResourceTag/${key}`]: [...names] } },
    })),
    {
      ...{ Sid: 'WithdrawRules', Effect: 'Allow', Resource: '*' },
      Action: ['ec2:RevokeSecurityGroupIngress', 'ec2:RevokeSecurityGroupEgress'],
    },
  ];
}
