import type { ClusterArn } from './cluster-arn';
import type { PolicyStatement } from './iam-policy';

/** What the AWS Load Balancer Controller has to do for TargetGroupBindings. */
export interface TargetGroupBindingRights {
  /** The cluster that the controller runs in. */
  readonly cluster: ClusterArn;
  /** ARNs of the target groups that it fills; undefined: every one in the cluster's account and region. */
  readonly targetGroupArns: readonly string[] | undefined;
  /** Whether it also writes the rules of security groups (`spec.networking` of a TargetGroupBinding). */
  readonly managesSecurityGroups: boolean;
}

/**
 * The rights that the AWS Load Balancer Controller needs for TargetGroupBindings alone, by the calls that it
 * makes in v3.5.0:
 * its webhooks look the target group up (webhooks/elbv2/targetgroup_helper.go); registration compares targets
 * (pkg/targetgroupbinding/targets_manager.go) and reads the VPC's address ranges (resource_manager.go); every
 * pass also looks for left-over rules in the cluster's security groups, so it reads them even where no binding
 * has `networking` (pkg/networking/networking_manager.go). Only with `networking` it looks up network interfaces
 * and instances and writes rules, in security groups that carry the cluster's tag.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/tree/v3.5.0/pkg
 */
export function targetGroupBindingStatements(rights: TargetGroupBindingRights): PolicyStatement[] {
  return [
    {
      Sid: 'ReadTargetGroupsAndNetwork',
      Effect: 'Allow',
      // None of these can be limited to a resource.
      Action: [
        'elasticloadbalancing:DescribeTargetGroups',
        'elasticloadbalancing:DescribeTargetHealth',
        'ec2:DescribeVpcs',
        'ec2:DescribeSecurityGroups',
      ],
      Resource: '*',
    },
    ...registration(rights),
    ...(rights.managesSecurityGroups ? securityGroupRules(rights.cluster) : []),
  ];
}

function registration({ cluster, targetGroupArns }: TargetGroupBindingRights): PolicyStatement[] {
  const { partition, region, account } = cluster;
  if (targetGroupArns?.length === 0) {
    return [];
  }
  return [
    {
      Sid: 'RegisterTargets',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:RegisterTargets', 'elasticloadbalancing:DeregisterTargets'],
      Resource:
        targetGroupArns ?? `arn:${partition}:elasticloadbalancing:${region}:${account}:targetgroup/*/*`,
    },
  ];
}

function securityGroupRules({ partition, region, account, clusterName }: ClusterArn): PolicyStatement[] {
  return [
    {
      Sid: 'FindSecurityGroupsOfTargets',
      Effect: 'Allow',
      Action: ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeInstances'],
      Resource: '*',
    },
    {
      Sid: 'WriteSecurityGroupRules',
      Effect: 'Allow',
      Action: ['ec2:AuthorizeSecurityGroupIngress', 'ec2:RevokeSecurityGroupIngress'],
      Resource: `arn:${partition}:ec2:${region}:${account}:security-group/*`,
      Condition: {
        StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: ['owned', 'shared'] },
      },
    },
  ];
}
