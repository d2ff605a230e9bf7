import type { PolicyStatement } from '../../core/aws/iam';
import type { Schema } from '../../core/validation/schema';
import { oneOf } from '../../core/validation/values';

/** Addresses of a cluster's pods and Services. */
export type IpFamily = 'ipv4' | 'ipv6';

export const ipFamily: Schema<IpFamily> = oneOf('ipv4', 'ipv6');

/**
 * Instance types that are not built on Nitro, without which VPC CNI gives no IPv6 addresses: all of these families but for
 * bare metal.
 *
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/pkg/vpc/vpc_ip_resource_limit.go
 */
const beforeNitro = new Set('c1 c3 c4 cr1 d2 f1 h1 hs1 i2 i3 m1 m2 m3 m4 p3 r3 r4 t1 t2 x1 x1e'.split(' '));

/** Whether an EC2 instance type is built on Nitro. */
export function isNitro(instanceType: string): boolean {
  const [family = '', size = ''] = instanceType.split('.');
  return !beforeNitro.has(family) || size.startsWith('metal');
}

/**
 * What VPC CNI may do on nodes with IPv6, for which AWS has no managed policy.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html#cni-iam-role-create-ipv6-policy
 * @see https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/iam-policy.md#ipv6-mode
 */
export function cniIpv6Statements(partition: string): PolicyStatement[] {
  return [
    {
      Effect: 'Allow',
      Action: [
        'ec2:AssignIpv6Addresses',
        'ec2:DescribeInstances',
        'ec2:DescribeSecurityGroups',
        'ec2:DescribeSubnets',
        'ec2:DescribeTags',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeInstanceTypes',
      ],
      Resource: '*',
    },
    {
      Effect: 'Allow',
      Action: ['ec2:CreateTags'],
      Resource: `arn:${partition}:ec2:*:*:network-interface/*`,
    },
  ];
}
