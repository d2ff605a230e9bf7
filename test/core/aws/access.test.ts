import { iamRoleArn, parseArn, awsRegion } from '../../../lib/core/aws/arns';
import { awsPartitions, partitionOf } from '../../../lib/core/aws/partitions';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
  expect(parseArn(arn)).toEqual(expected);
});

test.each([
  [undefined, 'aws'],
  ['eu-west-1', 'aws'],
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
  ['eusc-de-east-1', 'aws-eusc'],
  ['us-isob-east-1', 'aws-iso-b'],
  ['xx-moon-1', 'aws'],
])('the partition of %s is %s', (region, expected) => {
  expect(partitionOf(region).id).toBe(expected);
});

test('partitions are those of the AWS SDK', () => {
  // The SDK has a function for one region alone, and writes its table as JSON.
  const sdk = dirname(require.resolve('@aws-sdk/core/package.json'));
  const file = 'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js';
  const [, table = ''] = /partitionsInfo = (\{.*\});/s.exec(readFileSync(join(sdk, file), 'utf8'))!;
  const { partitions } = JSON.parse(table) as {
    partitions: { id: string; regionRegex: string; regions: object; outputs: Record<string, unknown> }[];
  };
  expect(
    awsPartitions.map(({ id, regions, dnsSuffix, dualStackDnsSuffix }) => [
      id,
      regions.source,
      dnsSuffix,
      dualStackDnsSuffix,
    ]),
  ).toEqual(
    partitions.map(({ id, regionRegex, outputs: { dnsSuffix, dualStackDnsSuffix } }) => [
      id,
      new RegExp(regionRegex.replace(/\\-/g, '-')).source,
      dnsSuffix,
      dualStackDnsSuffix,
    ]),
  );
  for (const { id, regions } of partitions) {
    for (const region of Object.keys(regions).filter((name) => !name.endsWith('-global'))) {
      expect([region, partitionOf(region).id]).toEqual([region, id]);
      expect(awsRegion.accepts(region)).toBe(true);
    }
  }
});

test('a region and a role', () => {
  const regions = ['eu-west-1', 'us-gov-west-1', 'Ireland', 'eu-west-1a', 7, undefined];
  expect(regions.filter((each) => awsRegion.accepts(each))).toEqual(['eu-west-1', 'us-gov-west-1']);
  const role = 'arn:aws:iam::123456789012:role/teams/canary';
  const roles = [role, 'canary', 'arn:aws:iam::123456789012:user/canary', 7, undefined];
  expect(roles.filter((each) => iamRoleArn.accepts(each))).toEqual([role]);
});
