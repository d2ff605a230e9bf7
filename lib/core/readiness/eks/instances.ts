import type { Instance } from '@aws-sdk/client-ec2';
import { pageOf } from '../../aws/pages';
import type { EksReader, Read } from './reader';

/** What is of interest of an EC2 instance. */
export interface SeenInstance {
  /** Whether it is a node of the cluster, by its tags. */
  readonly ofCluster: boolean;
  /** `m5.large` */
  readonly type: string;
  readonly onDemand: boolean;
  /** Undefined where EC2 does not say. */
  readonly vcpus?: number;
  /** IPv4 addresses that its network interfaces hold, also those kept for pods to come, by subnet. */
  readonly addresses: Readonly<Record<string, number>>;
}

/** All instances of the region that run or are about to. */
export function readInstances(reader: EksReader<'ec2'>): Promise<Read<readonly SeenInstance[]>> {
  const { clusterName } = reader.question;
  return reader.once('instances', () =>
    reader.list(
      { action: 'ec2:DescribeInstances', subject: `instances beside ${reader.place}` },
      async (NextToken, options) => {
        const ec2 = await reader.clients.ec2();
        const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }];
        const { items, next } = await pageOf(
          'Reservations',
          ec2.describeInstances({ Filters, MaxResults: 1_000, NextToken }, options),
        );
        const instances = items.flatMap(({ Instances = [] }) => Instances);
        return { items: instances.map((each) => instanceOf(each, clusterName)), next };
      },
    ),
  );
}

/** Tags of nodes: of EKS's node groups, of Auto Mode, and what every other node has to have. */
function isNodeOf(cluster: string, { Tags = [] }: Instance): boolean {
  return Tags.some(
    ({ Key, Value }) =>
      Key === `kubernetes.io/cluster/${cluster}` ||
      (Value === cluster && /^((aws:)?eks:cluster-name|eks:eks-cluster-name)$/.test(Key ?? '')),
  );
}

/** Addresses of a prefix of the VPC CNI, a /28. */
const perPrefix = 16;

function instanceOf(instance: Instance, cluster: string): SeenInstance {
  const { InstanceType = '', InstanceLifecycle, CpuOptions, NetworkInterfaces = [] } = instance;
  const { CoreCount, ThreadsPerCore = 1 } = CpuOptions ?? {};
  const addresses: Record<string, number> = {};
  for (const { SubnetId, PrivateIpAddresses = [], Ipv4Prefixes = [] } of NetworkInterfaces) {
    if (!SubnetId) {
      continue;
    }
    const held = PrivateIpAddresses.length + Ipv4Prefixes.length * perPrefix;
    addresses[SubnetId] = (addresses[SubnetId] ?? 0) + held;
  }
  return {
    ofCluster: isNodeOf(cluster, instance),
    type: InstanceType,
    onDemand: InstanceLifecycle === undefined,
    ...(CoreCount === undefined ? {} : { vcpus: CoreCount * ThreadsPerCore }),
    addresses,
  };
}
