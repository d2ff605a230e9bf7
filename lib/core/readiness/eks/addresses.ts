import type { Subnet } from '@aws-sdk/client-ec2';
import { pageOf } from '../../aws/pages';
import type { ReadinessFinding } from '../report';
import { counted } from '../words';
import { readInstances } from './instances';
import type { SeenInstance } from './instances';
import type { EksReader, Read } from './reader';
import { readCluster, readNodegroups } from './resources';
import { eksSubject, listed, mayRead, said } from './subject';

/** Whether the subnets have room for a second control plane and a second fleet of nodes beside the first. */
export const eksAddresses = eksSubject({
  name: 'eks-addresses',
  title: 'free addresses in the subnets of cluster and nodes',
  permissions: [
    mayRead('ReadCluster', ['eks:DescribeCluster', 'eks:ListNodegroups'], 'cluster'),
    mayRead('ReadNodegroups', ['eks:DescribeNodegroup'], 'nodegroup'),
    mayRead('ReadNetwork', ['ec2:DescribeInstances', 'ec2:DescribeSubnets']),
  ],
  look: async (reader) => {
    const [cluster, groups, instances] = await Promise.all([
      readCluster(reader),
      readNodegroups(reader),
      readInstances(reader),
    ]);
    const ofCluster = cluster.value?.resourcesVpcConfig?.subnetIds ?? [];
    const nodes = instances.value.filter((each) => each.ofCluster);
    const held = addressesBySubnet(nodes);
    const ofNodes = [
      ...new Set([...groups.value.flatMap(({ subnets = [] }) => subnets), ...Object.keys(held)]),
    ];
    const subnets = await readSubnets(reader, [...new Set([...ofCluster, ...ofNodes])]);
    return {
      // A subnet that could not be asked for is not gone.
      findings:
        subnets.untried.length > 0
          ? []
          : judgeAddresses({ ofCluster, ofNodes, held, subnets: subnets.value }),
      looked: `${counted(subnets.value.length, 'subnet')}, ${counted(nodes.length, 'node')}`,
      untried: [...cluster.untried, ...groups.untried, ...instances.untried, ...subnets.untried],
    };
  },
});

/** As many as a filter of EC2 takes. */
const perFilter = 200;

/** By a filter: where one of them is gone, the others are still named. */
async function readSubnets(
  reader: EksReader<'ec2'>,
  ids: readonly string[],
): Promise<Read<readonly Subnet[]>> {
  const parts = Array.from({ length: Math.ceil(ids.length / perFilter) }, (_, index) =>
    ids.slice(index * perFilter, (index + 1) * perFilter),
  );
  const call = { action: 'ec2:DescribeSubnets', subject: `subnets of ${reader.place}` };
  const read = await Promise.all(
    parts.map((part) =>
      reader.list(call, async (NextToken, options) => {
        const ec2 = await reader.clients.ec2();
        const Filters = [{ Name: 'subnet-id', Values: [...part] }];
        return pageOf('Subnets', ec2.describeSubnets({ Filters, NextToken }, options));
      }),
    ),
  );
  return { value: read.flatMap(({ value }) => value), untried: read.flatMap(({ untried }) => untried) };
}

function addressesBySubnet(nodes: readonly SeenInstance[]): Readonly<Record<string, number>> {
  const held: Record<string, number> = {};
  for (const { addresses } of nodes) {
    for (const [subnet, count] of Object.entries(addresses)) {
      held[subnet] = (held[subnet] ?? 0) + count;
    }
  }
  return held;
}

/** What is judged about addresses. */
export interface AddressFacts {
  /** Subnets of the control plane. */
  readonly ofCluster: readonly string[];
  /** Subnets of nodes. */
  readonly ofNodes: readonly string[];
  /** Addresses that the nodes hold now, by subnet. */
  readonly held: Readonly<Record<string, number>>;
  /** What EC2 says of the subnets that are still there. */
  readonly subnets: readonly Subnet[];
}

/**
 * Free addresses that EKS wants in each subnet of a new control plane, which has to have subnets in two zones; for an upgrade
 * in place it takes up to five of them.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html
 */
const ofControlPlane = { addresses: 6, zones: 2 };

/** Whether both fit. What the nodes hold now is taken for what a second fleet needs: pods of Fargate are not in it. */
export function judgeAddresses(facts: AddressFacts): readonly ReadinessFinding[] {
  return [...gone(facts), ...forControlPlane(facts), ...forNodes(facts)];
}

function gone({ ofCluster, ofNodes, subnets }: AddressFacts): readonly ReadinessFinding[] {
  const there = new Set(subnets.map(({ SubnetId }) => SubnetId));
  const missing = [...new Set([...ofCluster, ...ofNodes])].filter((id) => !there.has(id));
  return missing.length === 0
    ? []
    : [
        {
          id: 'EKS21',
          severity: 'error',
          message: `there are no subnets ${listed(missing)}, which the cluster or its nodes name`,
          why: 'EKS places network interfaces in any of the subnets that were named; without one of them an upgrade fails',
          fix: 'name subnets that are there, in the same zones',
        },
      ];
}

function forControlPlane({ ofCluster, subnets }: AddressFacts): readonly ReadinessFinding[] {
  const known = subnets.filter(({ SubnetId = '' }) => ofCluster.includes(SubnetId));
  const narrow = known.filter((subnet) => freeOf(subnet) < ofControlPlane.addresses);
  if (narrow.length === 0) {
    return [];
  }
  const wide = known.filter((subnet) => !narrow.includes(subnet));
  const zones = new Set(wide.map(({ AvailabilityZone, SubnetId }) => AvailabilityZone ?? SubnetId));
  return [
    {
      id: 'EKS19',
      severity: zones.size < ofControlPlane.zones ? 'error' : 'warning',
      message: `subnets of the control plane with fewer than ${ofControlPlane.addresses} free addresses: ${listed(narrow.map(freeText))}`,
      why: `EKS wants ${ofControlPlane.addresses} addresses in each subnet of a cluster, in two zones at least, and up to five more for an upgrade in place`,
      fix: 'free addresses, or name other subnets in the same zones; EKS recommends 16 free addresses each',
    },
  ];
}

function forNodes({ ofNodes, held, subnets }: AddressFacts): readonly ReadinessFinding[] {
  const known = subnets.filter(({ SubnetId = '' }) => ofNodes.includes(SubnetId));
  const needed = Object.values(held).reduce((sum, count) => sum + count, 0);
  const free = known.reduce((sum, subnet) => sum + freeOf(subnet), 0);
  return needed <= free
    ? []
    : [
        {
          id: 'EKS20',
          severity: 'warning',
          message: `nodes and pods hold ${needed} addresses, and their subnets have ${free} free: ${listed(known.map(freeText))}`,
          why: 'a second fleet of nodes beside the first needs about as many as the first holds, those kept for pods to come included; an estimate',
          fix: 'add subnets or a CIDR block to the VPC for nodes of the new cluster, or let fewer nodes run at first',
        },
      ];
}

function freeOf({ AvailableIpAddressCount = 0 }: Subnet): number {
  return AvailableIpAddressCount;
}

function freeText(subnet: Subnet): string {
  return `${said(subnet.SubnetId)} (${freeOf(subnet)})`;
}
