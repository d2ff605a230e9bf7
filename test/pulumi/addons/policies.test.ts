import { parseClusterArn } from '../../../lib/core/aws/arns';
import type { PolicyStatement } from '../../../lib/core/aws/iam';
import {
  ingressStatements,
  podIdentityTrust,
  targetGroupBindingStatements,
} from '../../../lib/pulumi/addons';

const cluster = parseClusterArn('arn:aws:eks:eu-west-1:123456789012:cluster/blue');
const actions = (statements: readonly PolicyStatement[]) => statements.flatMap(({ Action }) => Action);

describe('parseClusterArn', () => {
  test.each([
    ['arn:aws:eks:eu-west-1:123456789012:cluster/blue', 'aws', 'eu-west-1', 'blue'],
    ['arn:aws-cn:eks:cn-north-1:123456789012:cluster/blue', 'aws-cn', 'cn-north-1', 'blue'],
    ['arn:aws-us-gov:eks:us-gov-west-1:123456789012:cluster/B_1', 'aws-us-gov', 'us-gov-west-1', 'B_1'],
  ])('%s', (arn, partition, region, clusterName) => {
    expect(parseClusterArn(arn)).toEqual({ partition, region, account: '123456789012', clusterName });
  });

  test.each([
    '',
    'blue',
    'arn:aws:eks:eu-west-1:1234:cluster/blue',
    'arn:aws:eks:eu-west-1:123456789012:nodegroup/blue/n/1',
    'arn:aws:ecs:eu-west-1:123456789012:cluster/blue',
  ])('refuses "%s"', (arn) => {
    expect(() => parseClusterArn(arn)).toThrow('must be the ARN of an EKS cluster');
  });
});

describe('podIdentityTrust', () => {
  test('trusts EKS Pod Identity for these service accounts of this cluster alone', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/blue';
    expect(
      podIdentityTrust(arn, [
        { namespace: 'argocd', name: 'server' },
        { namespace: 'argocd', name: 'controller' },
      ]),
    ).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'PodIdentity',
          Effect: 'Allow',
          Principal: { Service: 'pods.eks.amazonaws.com' },
          Action: ['sts:AssumeRole', 'sts:TagSession'],
          Condition: {
            StringEquals: {
              'aws:RequestTag/eks-cluster-arn': arn,
              'aws:RequestTag/kubernetes-namespace': ['argocd'],
              'aws:RequestTag/kubernetes-service-account': ['server', 'controller'],
            },
          },
        },
      ],
    });
  });
});

describe('rights for TargetGroupBindings', () => {
  const read = {
    Sid: 'ReadTargetGroupsAndNetwork',
    Effect: 'Allow',
    Action: [
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTargetHealth',
      'ec2:DescribeVpcs',
      'ec2:DescribeSecurityGroups',
    ],
    Resource: '*',
  };
  const register = (Resource: string | string[]) => ({
    Sid: 'RegisterTargets',
    Effect: 'Allow',
    Action: ['elasticloadbalancing:RegisterTargets', 'elasticloadbalancing:DeregisterTargets'],
    Resource,
  });
  const arns = ['arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/0123456789abcdef'];

  test('known target groups: these and no others', () => {
    expect(
      targetGroupBindingStatements({ cluster, targetGroupArns: arns, managesSecurityGroups: false }),
    ).toEqual([read, register(arns)]);
  });

  test('unknown target groups: those of the account and region', () => {
    expect(
      targetGroupBindingStatements({ cluster, targetGroupArns: undefined, managesSecurityGroups: false }),
    ).toEqual([read, register('arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/*/*')]);
  });

  test('no target groups: nothing may be registered, and no statement is without a resource', () => {
    expect(
      targetGroupBindingStatements({ cluster, targetGroupArns: [], managesSecurityGroups: false }),
    ).toEqual([read]);
  });

  test("security group rules, only where asked for, and only in the cluster's groups", () => {
    expect(
      targetGroupBindingStatements({ cluster, targetGroupArns: arns, managesSecurityGroups: true }).slice(2),
    ).toEqual([
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
        Resource: 'arn:aws:ec2:eu-west-1:123456789012:security-group/*',
        Condition: {
          StringEquals: { 'aws:ResourceTag/kubernetes.io/cluster/blue': ['owned', 'shared'] },
        },
      },
    ]);
  });
});

describe('rights for Ingresses', () => {
  const statements = ingressStatements('aws');
  const bySid = (sid: string) => {
    const found = statements.filter(({ Sid }) => Sid === sid);
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  const elb = (...resources: string[]) =>
    resources.map((resource) => `arn:aws:elasticloadbalancing:*:*:${resource}`);
  const groupsAndBalancers = elb('targetgroup/*/*', 'loadbalancer/net/*/*', 'loadbalancer/app/*/*');
  const requested = { 'aws:RequestTag/elbv2.k8s.aws/cluster': 'false' };
  const owned = { 'aws:ResourceTag/elbv2.k8s.aws/cluster': 'false' };
  const kept = {
    'aws:RequestTag/elbv2.k8s.aws/cluster': 'true',
    'aws:ResourceTag/elbv2.k8s.aws/cluster': 'false',
  };

  test.each<[string, number, PolicyStatement['Resource'], PolicyStatement['Condition']]>([
    [
      'ServiceLinkedRole',
      1,
      '*',
      { StringEquals: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' } },
    ],
    ['Read', 29, '*', undefined],
    ['CertificatesAndProtection', 17, '*', undefined],
    ['SecurityGroupRules', 2, '*', undefined],
    ['CreateSecurityGroup', 1, '*', undefined],
    [
      'TagNewSecurityGroup',
      1,
      'arn:aws:ec2:*:*:security-group/*',
      { StringEquals: { 'ec2:CreateAction': 'CreateSecurityGroup' }, Null: requested },
    ],
    ['TagSecurityGroup', 2, 'arn:aws:ec2:*:*:security-group/*', { Null: kept }],
    ['OwnSecurityGroup', 3, '*', { Null: owned }],
    ['Create', 2, '*', { Null: requested }],
    ['ListenersAndRules', 4, '*', undefined],
    ['Tag', 2, groupsAndBalancers, { Null: kept }],
    [
      'TagListenersAndRules',
      2,
      elb('listener/net/*/*/*', 'listener/app/*/*/*', 'listener-rule/net/*/*/*', 'listener-rule/app/*/*/*'),
      undefined,
    ],
    ['ChangeOwn', 11, '*', { Null: owned }],
    [
      'TagNew',
      1,
      groupsAndBalancers,
      {
        StringEquals: { 'elasticloadbalancing:CreateAction': ['CreateTargetGroup', 'CreateLoadBalancer'] },
        Null: requested,
      },
    ],
    ['RegisterTargets', 2, elb('targetgroup/*/*')[0], undefined],
    ['ChangeListenersAndRules', 6, '*', undefined],
  ])('%s', (sid, count, resource, condition) => {
    const statement = bySid(sid);
    expect(statement.Effect).toBe('Allow');
    expect(statement.Action).toHaveLength(count);
    expect(statement.Resource).toEqual(resource);
    expect(statement.Condition).toEqual(condition);
  });

  test('these 16 and no others, in the size that a role has for inline policies', () => {
    expect(statements).toHaveLength(16);
    expect(JSON.stringify({ Version: '2012-10-17', Statement: statements }).length).toBeLessThan(10_240);
  });

  test('nothing is allowed by a wildcard in an action, and nobody may take over a role', () => {
    expect(actions(statements).filter((action) => action.includes('*'))).toEqual([]);
    expect(actions(statements).filter((action) => /PassRole|AssumeRole/.test(action))).toEqual([]);
  });

  test('every ARN is of the partition', () => {
    const resources = ingressStatements('aws-cn').flatMap(({ Resource }) => Resource ?? []);
    expect(new Set(resources.map((resource) => resource.split(':').slice(0, 2).join(':')))).toEqual(
      new Set(['*', 'arn:aws-cn']),
    );
    expect(actions(ingressStatements('aws-cn'))).toEqual(actions(statements));
  });

  test('isolated partitions go without what they do not have', () => {
    const missing = actions(statements).filter(
      (action) => !actions(ingressStatements('aws-iso-b')).includes(action),
    );
    expect(missing.sort()).toEqual([
      'elasticloadbalancing:DescribeCapacityReservation',
      'elasticloadbalancing:DescribeListenerAttributes',
      'elasticloadbalancing:DescribeTrustStores',
      'elasticloadbalancing:ModifyCapacityReservation',
      'elasticloadbalancing:ModifyListenerAttributes',
    ]);
    expect(ingressStatements('aws-iso-b').every(({ Action }) => Action.length > 0)).toBe(true);
  });
});
