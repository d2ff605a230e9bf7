import { arnParts, awsAccessProblems, partitionOf } from 'cluster-canary/aws';

test.each([
  [
    'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/73e2d6bc24d8a067',
    {
      partition: 'aws',
      service: 'elasticloadbalancing',
      region: 'eu-west-1',
      account: '123456789012',
      resource: 'targetgroup/web/73e2d6bc24d8a067',
    },
  ],
  [
    'arn:aws-us-gov:route53:::hostedzone/Z1',
    { partition: 'aws-us-gov', service: 'route53', region: '', account: '', resource: 'hostedzone/Z1' },
  ],
  ['', undefined],
  ['arn:aws:iam::12345:role/short-account', undefined],
  ['arn:azure:iam::123456789012:role/x', undefined],
])('parts of %j', (arn, expected) => {
  expect(arnParts(arn)).toEqual(expected);
});

test.each([
  [undefined, 'aws'],
  ['eu-west-1', 'aws'],
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
])('the partition of %s is %s', (region, expected) => {
  expect(partitionOf(region)).toBe(expected);
});

test.each<[object, string[]]>([
  [{}, []],
  [{ region: 'eu-west-1', roleArn: 'arn:aws:iam::123456789012:role/teams/canary' }, []],
  [{ region: 'us-gov-west-1' }, []],
  [{ region: 'Ireland' }, ['region']],
  [{ region: 'eu-west-1a' }, ['region']],
  [{ region: 7, roleArn: 'canary' }, ['region', 'roleArn']],
  [{ roleArn: 'arn:aws:iam::123456789012:user/canary' }, ['roleArn']],
])('problems of %j', (access, paths) => {
  expect(awsAccessProblems(access).map(({ path }) => path)).toEqual(paths);
});
