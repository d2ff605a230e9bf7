import type { ClusterArn } from '../../../../core/aws/arns';
import type { PolicyStatement } from '../../../../core/aws/iam';

/** What the isolated partitions do not have, and their policies leave out. */
const notInIsolatedPartitions = [
  'elasticloadbalancing:DescribeTrustStores',
  'elasticloadbalancing:DescribeListenerAttributes',
  'elasticloadbalancing:DescribeCapacityReservation',
  'elasticloadbalancing:ModifyListenerAttributes',
  'elasticloadbalancing:ModifyCapacityReservation',
];

/** Tag on all that the controller creates. */
const clusterTag = 'elbv2.k8s.aws/cluster';

const taggedAtCreation = { Null: { [`aws:RequestTag/${clusterTag}`]: 'false' } };

const alreadyTagged = { Null: { [`aws:ResourceTag/${clusterTag}`]: 'false' } };

/** Tags of what is tagged already may change, the cluster's own may not. */
const tagStays = {
  Null: { [`aws:RequestTag/${clusterTag}`]: 'true', [`aws:ResourceTag/${clusterTag}`]: 'false' },
};

/**
 * The rights that the AWS Load Balancer Controller needs for everything it can do (Ingresses, Services, Gateways):
 * the project's own policy of v3.5.0, for any partition.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/docs/install/iam_policy.json
 * and its siblings for other partitions (iam_policy_cn.json, iam_policy_iso.json, …)
 */
export function ingressStatements(partition: string): PolicyStatement[] {
  const statements = [...reading(), ...securityGroups(partition), ...loadBalancers(partition)];
  if (!partition.startsWith('aws-iso')) {
    return statements;
  }
  return statements.map((statement) => ({
    ...statement,
    Action: statement.Action.filter((action) => !notInIsolatedPartitions.includes(action)),
  }));
}

function allow(
  Sid: string,
  Action: readonly string[],
  Resource: string | readonly string[] = '*',
  Condition?: PolicyStatement['Condition'],
): PolicyStatement {
  return { Sid, Effect: 'Allow', Action, Resource, ...(Condition ? { Condition } : {}) };
}

function elb(...actions: readonly string[]): string[] {
  return actions.map((action) => `elasticloadbalancing:${action}`);
}

function ec2(...actions: readonly string[]): string[] {
  return actions.map((action) => `ec2:${action}`);
}

function reading(): PolicyStatement[] {
  return [
    allow('ServiceLinkedRole', ['iam:CreateServiceLinkedRole'], '*', {
      StringEquals: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' },
    }),
    allow('Read', [
      ...ec2(
        'DescribeAccountAttributes',
        'DescribeAddresses',
        'DescribeAvailabilityZones',
        'DescribeInternetGateways',
        'DescribeVpcs',
        'DescribeVpcPeeringConnections',
        'DescribeSubnets',
        'DescribeSecurityGroups',
        'DescribeInstances',
        'DescribeNetworkInterfaces',
        'DescribeTags',
        'GetCoipPoolUsage',
        'DescribeCoipPools',
        'GetSecurityGroupsForVpc',
        'DescribeIpamPools',
        'DescribeRouteTables',
      ),
      ...elb(
        'DescribeLoadBalancers',
        'DescribeLoadBalancerAttributes',
        'DescribeListeners',
        'DescribeListenerCertificates',
        'DescribeSSLPolicies',
        'DescribeRules',
        'DescribeTargetGroups',
        'DescribeTargetGroupAttributes',
        'DescribeTargetHealth',
        'DescribeTags',
        'DescribeTrustStores',
        'DescribeListenerAttributes',
        'DescribeCapacityReservation',
      ),
    ]),
    allow('CertificatesAndProtection', [
      'cognito-idp:DescribeUserPoolClient',
      'acm:ListCertificates',
      'acm:DescribeCertificate',
      'iam:ListServerCertificates',
      'iam:GetServerCertificate',
      'waf-regional:GetWebACL',
      'waf-regional:GetWebACLForResource',
      'waf-regional:AssociateWebACL',
      'waf-regional:DisassociateWebACL',
      'wafv2:GetWebACL',
      'wafv2:GetWebACLForResource',
      'wafv2:AssociateWebACL',
      'wafv2:DisassociateWebACL',
      'shield:GetSubscriptionState',
      'shield:DescribeProtection',
      'shield:CreateProtection',
      'shield:DeleteProtection',
    ]),
  ];
}

function securityGroups(partition: string): PolicyStatement[] {
  const groups = `arn:${partition}:ec2:*:*:security-group/*`;
  return [
    allow('SecurityGroupRules', ec2('AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress')),
    allow('CreateSecurityGroup', ec2('CreateSecurityGroup')),
    allow('TagNewSecurityGroup', ec2('CreateTags'), groups, {
      StringEquals: { 'ec2:CreateAction': 'CreateSecurityGroup' },
      ...taggedAtCreation,
    }),
    allow('TagSecurityGroup', ec2('CreateTags', 'DeleteTags'), groups, tagStays),
    allow(
      'OwnSecurityGroup',
      ec2('AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress', 'DeleteSecurityGroup'),
      '*',
      alreadyTagged,
    ),
  ];
}

function loadBalancers(partition: string): PolicyStatement[] {
  const arn = (resource: string) => `arn:${partition}:elasticloadbalancing:*:*:${resource}`;
  const groupsAndBalancers = [
    arn('targetgroup/*/*'),
    arn('loadbalancer/net/*/*'),
    arn('loadbalancer/app/*/*'),
  ];
  const listenersAndRules = [
    arn('listener/net/*/*/*'),
    arn('listener/app/*/*/*'),
    arn('listener-rule/net/*/*/*'),
    arn('listener-rule/app/*/*/*'),
  ];
  return [
    allow('Create', elb('CreateLoadBalancer', 'CreateTargetGroup'), '*', taggedAtCreation),
    allow('ListenersAndRules', elb('CreateListener', 'DeleteListener', 'CreateRule', 'DeleteRule')),
    allow('Tag', elb('AddTags', 'RemoveTags'), groupsAndBalancers, tagStays),
    allow('TagListenersAndRules', elb('AddTags', 'RemoveTags'), listenersAndRules),
    allow(
      'ChangeOwn',
      elb(
        'ModifyLoadBalancerAttributes',
        'SetIpAddressType',
        'SetSecurityGroups',
        'SetSubnets',
        'DeleteLoadBalancer',
        'ModifyTargetGroup',
        'ModifyTargetGroupAttributes',
        'DeleteTargetGroup',
        'ModifyListenerAttributes',
        'ModifyCapacityReservation',
        'ModifyIpPools',
      ),
      '*',
      alreadyTagged,
    ),
    allow('TagNew', elb('AddTags'), groupsAndBalancers, {
      StringEquals: { 'elasticloadbalancing:CreateAction': ['CreateTargetGroup', 'CreateLoadBalancer'] },
      ...taggedAtCreation,
    }),
    allow('RegisterTargets', elb('RegisterTargets', 'DeregisterTargets'), arn('targetgroup/*/*')),
    allow(
      'ChangeListenersAndRules',
      elb(
        'SetWebAcl',
        'ModifyListener',
        'AddListenerCertificates',
        'RemoveListenerCertificates',
        'ModifyRule',
        'SetRulePriorities',
      ),
    ),
  ];
}

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
