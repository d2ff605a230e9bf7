import * as aws from '../../../lib/core/aws/identifiers';

const account = 'eu-west-1:123456789012';
const elb = `arn:aws:elasticloadbalancing:${account}`;

test.each<[keyof typeof aws, readonly string[], readonly unknown[]]>([
  ['vpcId', ['vpc-0123456789abcdef0', 'vpc-1a2b3c4d'], ['subnet-1a2b3c4d', 'vpc-', 'shop', 'vpc-a b', 7, '']],
  [
    'subnetId',
    ['subnet-0123456789abcdef0'],
    ['vpc-1a2b3c4d', `arn:aws:ec2:${account}:subnet/subnet-1a2b3c4d`],
  ],
  ['securityGroupId', ['sg-0123456789abcdef0'], ['default', 'subnet-1a2b3c4d']],
  ['vpcEndpointId', ['vpce-0123456789abcdef0'], ['vpc-0123456789abcdef0']],
  ['hostedZoneId', ['Z1D633PJN98FT9', '/hostedzone/Z1'], ['example.com', 'z1', '']],
  [
    'certificateArn',
    [
      `arn:aws:acm:${account}:certificate/00000000-0000-0000-0000-000000000000`,
      'arn:aws-cn:acm:cn-north-1:123456789012:certificate/x',
      'arn:aws:iam::123456789012:server-certificate/web/main',
    ],
    ['*.example.com', 'arn:certificate', 'arn:aws:acm::123456789012:certificate/x', `${elb}:certificate/x`],
  ],
  [
    'kmsKeyArn',
    [`arn:aws:kms:${account}:key/mrk-1`, `arn:aws:kms:${account}:alias/eks`],
    ['alias/eks', '00000000-0000-0000-0000-000000000000', `arn:aws:kms:${account}:key/`],
  ],
  [
    'webAclArn',
    [`arn:aws:wafv2:${account}:regional/webacl/shop/1`],
    ['arn:aws:wafv2:us-east-1:123456789012:global/webacl/shop/1', 'shop'],
  ],
  [
    'loadBalancerArn',
    [`${elb}:loadbalancer/app/edge/50dc6c495c0c9188`, `${elb}:loadbalancer/net/edge/50dc6c495c0c9188`],
    [`${elb}:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`, `${elb}:loadbalancer/edge`, 'edge'],
  ],
  [
    'applicationLoadBalancerArn',
    [`${elb}:loadbalancer/app/edge/50dc6c495c0c9188`],
    [`${elb}:loadbalancer/net/edge/50dc6c495c0c9188`, `${elb}:listener/app/edge/1/2`],
  ],
  ['applicationListenerArn', [`${elb}:listener/app/edge/1/2`], [`${elb}:listener/net/edge/1/2`]],
  [
    'listenerArn',
    [`${elb}:listener/app/edge/1/2`, `${elb}:listener/net/edge/1/2`],
    [`${elb}:listener-rule/app/edge/1/2/3`, `${elb}:loadbalancer/app/edge/1`],
  ],
  ['targetGroupArnFormat', [`${elb}:targetgroup/web/1`], [`${elb}:loadbalancer/app/edge/1`, 'arn:tg/blue']],
  [
    'iamPolicyArn',
    ['arn:aws:iam::aws:policy/ReadOnlyAccess', 'arn:aws:iam::123456789012:policy/teams/boundary'],
    ['ReadOnlyAccess', 'arn:aws:iam::123456789012:role/boundary'],
  ],
  [
    'principalArn',
    ['arn:aws:iam::123456789012:role/ci', 'arn:aws:iam::123456789012:user/ops'],
    ['ci', 'arn:aws:sts::123456789012:assumed-role/ci/session', 'arn:aws:iam::123456789012:policy/x'],
  ],
])('%s', (name, good, bad) => {
  const rule = aws[name] as { allowed: string; accepts(value: unknown): boolean };
  expect(good.filter((each) => !rule.accepts(each))).toEqual([]);
  expect(bad.filter((each) => rule.accepts(each))).toEqual([]);
  expect(rule.allowed).toMatch(/^(the ARN|the ID|the id) of /);
});
