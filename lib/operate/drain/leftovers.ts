import type { Filter, NetworkInterface, Tag } from '@aws-sdk/client-ec2';
import { LoadBalancingReader } from '../../core/aws/load-balancing';
import { pageOf } from '../../core/aws/pages';
import { fleetTag } from '../../core/names';
import { everyEc2Page } from './aws';
import type { DrainClients } from './aws';

/** What controllers make in AWS, in the order in which it can be deleted. */
export const leftoverKinds = [
  'loadBalancer',
  'targetGroup',
  'instance',
  'volume',
  'networkInterface',
  'securityGroup',
] as const;

/** What sort of thing was left in AWS. */
export type LeftoverKind = (typeof leftoverKinds)[number];

type Tags = Readonly<Record<string, string>>;

/** Something in AWS that a cluster's controllers made. */
export interface Leftover {
  /** What sort of thing it is. */
  readonly kind: LeftoverKind;
  /** ARN of a load balancer or target group, ID of all else. */
  readonly id: string;
  /** Name that people know it by. */
  readonly name?: string;
  /** The tag, or the other thing, that says that it is the cluster's. */
  readonly because: string;
  /** Its state in AWS's words, where it has one. */
  readonly state?: string;
  /** Why `--sweep` does not delete it. @default - it does */
  readonly kept?: string;
}

/** Whose leftovers are looked for. */
export interface LeftoverQuery {
  readonly clusterName: string;
  /** Whether EKS still knows the cluster. */
  readonly clusterIsThere: boolean;
}

interface ClaimTag {
  readonly key: string;
  readonly value: string;
}

/**
 * The tags by which controllers say that something is theirs and of this cluster.
 *
 * - AWS Load Balancer Controller: `elbv2.k8s.aws/cluster`.
 * - EKS Auto Mode and Karpenter: `eks:eks-cluster-name`.
 * - Karpenter, the cloud controller manager and the EBS CSI driver: `kubernetes.io/cluster/NAME` with `owned`; `shared` is
 *   what others made for several clusters.
 * - VPC CNI: `cluster.k8s.amazonaws.com/name`.
 * - EBS CSI driver as an EKS add-on: `ebs.csi.aws.com/cluster-name`.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3701
 * @see https://github.com/aws/karpenter-provider-aws/blob/main/pkg/cloudprovider/cloudprovider.go
 * @see https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/tagging.md
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEBSCSIDriverEKSClusterScopedPolicy.html
 * @see https://github.com/kubernetes/kops/pull/8274
 */
export function claimTags(clusterName: string): readonly ClaimTag[] {
  return [
    { key: 'elbv2.k8s.aws/cluster', value: clusterName },
    { key: 'eks:eks-cluster-name', value: clusterName },
    { key: `kubernetes.io/cluster/${clusterName}`, value: 'owned' },
    { key: 'cluster.k8s.amazonaws.com/name', value: clusterName },
    { key: 'ebs.csi.aws.com/cluster-name', value: clusterName },
  ];
}

/** The tag that says that something is the cluster's, as `KEY=VALUE`. */
export function claimOf(tags: Tags, clusterName: string): string | undefined {
  const claim = claimTags(clusterName).find(({ key, value }) => tags[key] === value);
  return claim && `${claim.key}=${claim.value}`;
}

/**
 * Whether something goes with what made it, and is not left by a controller: what a Pulumi program of this library made;
 * instances of a node group or another auto scaling group; and, while the cluster is there, what EKS itself made for it.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
 */
export function goesByItself(tags: Tags, clusterIsThere: boolean): boolean {
  return (
    fleetTag in tags ||
    'eks:nodegroup-name' in tags ||
    'aws:autoscaling:groupName' in tags ||
    (clusterIsThere && 'aws:eks:cluster-name' in tags)
  );
}

/** In the order in which they can be deleted, and each once. */
export function orderedLeftovers(leftovers: readonly Leftover[]): readonly Leftover[] {
  const once = [...new Map(leftovers.map((each) => [each.id, each])).values()];
  return leftoverKinds.flatMap((kind) =>
    once.filter((each) => each.kind === kind).sort((one, other) => (one.id < other.id ? -1 : 1)),
  );
}

const kindWords: Readonly<Record<LeftoverKind, string>> = {
  loadBalancer: 'load balancer',
  targetGroup: 'target group',
  instance: 'instance',
  volume: 'volume',
  networkInterface: 'network interface',
  securityGroup: 'security group',
};

/** `security group sg-0123 k8s-traffic-apps-green (elbv2.k8s.aws/cluster=apps-green)` */
export function leftoverText({ kind, id, name, because, state, kept }: Leftover): string {
  const words = [kindWords[kind], id, ...(name === undefined ? [] : [name])].join(' ');
  const details = [because, ...(state === undefined ? [] : [state]), ...(kept === undefined ? [] : [kept])];
  return `${words} (${details.join('; ')})`;
}

/** Load balancers and target groups that a cluster's controllers made. */
async function findLoadBalancing(aws: DrainClients, query: LeftoverQuery): Promise<Leftover[]> {
  const reader = new LoadBalancingReader((action, call) => aws.balancing(action, call));
  const [balancers, groups] = await Promise.all([reader.balancers(), reader.targetGroups()]);
  const found: Leftover[] = [
    ...balancers.map(({ LoadBalancerArn = '', LoadBalancerName, State }): Leftover => ({
      kind: 'loadBalancer',
      id: LoadBalancerArn,
      name: LoadBalancerName,
      because: '',
      state: State?.Code,
    })),
    ...groups.map(({ TargetGroupArn = '', TargetGroupName }): Leftover => ({
      kind: 'targetGroup',
      id: TargetGroupArn,
      name: TargetGroupName,
      because: '',
    })),
  ];
  const tags = await reader.tags(found.map(({ id }) => id));
  return found.flatMap((each) => {
    const own = tags.get(each.id) ?? {};
    const because = claimOf(own, query.clusterName);
    return because === undefined || goesByItself(own, query.clusterIsThere) ? [] : [{ ...each, because }];
  });
}

/**
 * What a cluster's controllers made in AWS and what is still there, in the order in which it can be deleted.
 *
 * @throws AwsError
 */
export async function findLeftovers(aws: DrainClients, query: LeftoverQuery): Promise<readonly Leftover[]> {
  const [balancing, groups, instances, volumes, interfaces] = await Promise.all([
    findLoadBalancing(aws, query),
    findSecurityGroups(aws, query),
    findInstances(aws, query),
    findVolumes(aws, query),
    findInterfaces(aws, query),
  ]);
  const inGroups = await findClassicBalancers(
    aws,
    groups.map(({ id }) => id),
  );
  return orderedLeftovers([...balancing, ...groups, ...instances, ...volumes, ...interfaces, ...inGroups]);
}

/** The same list for each tag that may claim something: filters of several tags would have to hold together. */
async function byTags<Item>(
  { clusterName }: LeftoverQuery,
  list: (filters: Filter[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const lists = await Promise.all(
    claimTags(clusterName).map(({ key, value }) => list([{ Name: `tag:${key}`, Values: [value] }])),
  );
  return lists.flat();
}

/** Why it is a leftover; undefined where it is none. */
function becauseOf(tags: Tags, { clusterName, clusterIsThere }: LeftoverQuery): string | undefined {
  return goesByItself(tags, clusterIsThere) ? undefined : claimOf(tags, clusterName);
}

function tagsOf(tags: readonly Tag[] | undefined): Tags {
  return Object.fromEntries((tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
}

async function findSecurityGroups(aws: DrainClients, query: LeftoverQuery): Promise<Leftover[]> {
  const groups = await byTags(query, (filters) =>
    everyEc2Page(aws, 'DescribeSecurityGroups', (ec2, NextToken) =>
      pageOf('SecurityGroups', ec2.describeSecurityGroups({ Filters: filters, NextToken })),
    ),
  );
  return groups.flatMap(({ GroupId: id = '', GroupName: name, Tags: tags }) => {
    const because = becauseOf(tagsOf(tags), query);
    return because === undefined ? [] : [{ kind: 'securityGroup', id, name, because } as const];
  });
}

async function findInstances(aws: DrainClients, query: LeftoverQuery): Promise<Leftover[]> {
  const reservations = await byTags(query, (filters) =>
    everyEc2Page(aws, 'DescribeInstances', (ec2, NextToken) =>
      pageOf('Reservations', ec2.describeInstances({ Filters: filters, NextToken })),
    ),
  );
  const instances = reservations.flatMap(({ Instances = [] }) => Instances);
  return instances.flatMap(({ InstanceId: id = '', State: { Name: state } = {}, Tags: tags }) => {
    const because = becauseOf(tagsOf(tags), query);
    return because === undefined || state === 'terminated'
      ? []
      : [{ kind: 'instance', id, name: tagsOf(tags).Name, because, state } as const];
  });
}

async function findVolumes(aws: DrainClients, query: LeftoverQuery): Promise<Leftover[]> {
  const volumes = await byTags(query, (filters) =>
    everyEc2Page(aws, 'DescribeVolumes', (ec2, NextToken) =>
      pageOf('Volumes', ec2.describeVolumes({ Filters: filters, NextToken })),
    ),
  );
  return volumes.flatMap(({ VolumeId: id = '', State: state, Attachments = [], Tags: given }) => {
    const tags = tagsOf(given);
    const because = becauseOf(tags, query);
    // An instance's own disk goes with it.
    const goesWithInstance = Attachments.some(({ DeleteOnTermination }) => DeleteOnTermination);
    return because === undefined || goesWithInstance
      ? []
      : [{ kind: 'volume', id, name: tags.CSIVolumeName, because, state } as const];
  });
}

/** One in use goes with what uses it. */
async function findInterfaces(aws: DrainClients, query: LeftoverQuery): Promise<Leftover[]> {
  const interfaces = await byTags(query, (filters) =>
    listInterfaces(aws, [...filters, { Name: 'status', Values: ['available'] }]),
  );
  return interfaces.flatMap(({ NetworkInterfaceId: id = '', Description: name, Status: state, TagSet }) => {
    const because = becauseOf(tagsOf(TagSet), query);
    return because === undefined
      ? []
      : [{ kind: 'networkInterface', id, name: name || undefined, because, state } as const];
  });
}

function listInterfaces(aws: DrainClients, filters: Filter[]): Promise<readonly NetworkInterface[]> {
  return everyEc2Page(aws, 'DescribeNetworkInterfaces', (ec2, NextToken) =>
    pageOf('NetworkInterfaces', ec2.describeNetworkInterfaces({ Filters: filters, NextToken })),
  );
}

/**
 * Classic Load Balancers, which the cloud controller manager makes for Services, are seen by their network interfaces in the
 * cluster's security groups: `ELB NAME`, where newer kinds have `ELB app/NAME/ID` and `ELB net/NAME/ID`.
 */
async function findClassicBalancers(aws: DrainClients, groups: readonly string[]): Promise<Leftover[]> {
  if (groups.length === 0) {
    return [];
  }
  const interfaces = await listInterfaces(aws, [
    { Name: 'group-id', Values: [...groups] },
    { Name: 'description', Values: ['ELB *'] },
  ]);
  return interfaces.flatMap(
    ({ NetworkInterfaceId: id = '', Description = '', Groups = [], Status: state }) => {
      const name = Description.slice('ELB '.length);
      const group = Groups.map(({ GroupId = '' }) => GroupId).find((each) => groups.includes(each));
      return name.includes('/')
        ? []
        : [
            {
              kind: 'networkInterface',
              id,
              name: Description,
              because: `in security group ${group}`,
              state,
              kept: `of a Classic Load Balancer: aws elb delete-load-balancer --load-balancer-name ${name}`,
            } as const,
          ];
    },
  );
}
