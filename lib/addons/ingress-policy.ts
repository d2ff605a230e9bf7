import type { PolicyStatement } from './iam-policy';

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
