import type { Filter, NetworkInterface, Tag } from '@aws-sdk/client-ec2';
import { withList } from '../aws';
import type { DrainAws } from './drain-aws';
import { allPages } from './drain-aws';
import { findLoadBalancing } from './find-load-balancing';
import type { Leftover, LeftoverQuery, Tags } from './leftover';
import { claimOf, claimTags, goesByItself, inOrder } from './leftover';

/**
 * What a cluster's controllers made in AWS and what is still there, in the order in which it can be deleted.
 *
 * @throws AwsError
 */
export async function findLeftovers(aws: DrainAws, query: LeftoverQuery): Promise<readonly Leftover[]> {
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
  return inOrder([...balancing, ...groups, ...instances, ...volumes, ...interfaces, ...inGroups]);
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

async function findSecurityGroups(aws: DrainAws, query: LeftoverQuery): Promise<Leftover[]> {
  const groups = await byTags(query, (filters) =>
    allPages(async (token) => {
      const { SecurityGroups, NextToken } = await aws.ec2('DescribeSecurityGroups', (ec2) =>
        withList('SecurityGroups', ec2.describeSecurityGroups({ Filters: filters, NextToken: token })),
      );
      return { items: SecurityGroups, next: NextToken };
    }),
  );
  return groups.flatMap(({ GroupId: id = '', GroupName: name, Tags: tags }) => {
    const because = becauseOf(tagsOf(tags), query);
    return because === undefined ? [] : [{ kind: 'securityGroup', id, name, because } as const];
  });
}

async function findInstances(aws: DrainAws, query: LeftoverQuery): Promise<Leftover[]> {
  const instances = await byTags(query, (filters) =>
    allPages(async (token) => {
      const { Reservations, NextToken } = await aws.ec2('DescribeInstances', (ec2) =>
        withList('Reservations', ec2.describeInstances({ Filters: filters, NextToken: token })),
      );
      return { items: Reservations.flatMap(({ Instances = [] }) => Instances), next: NextToken };
    }),
  );
  return instances.flatMap(({ InstanceId: id = '', State: { Name: state } = {}, Tags: tags }) => {
    const because = becauseOf(tagsOf(tags), query);
    return because === undefined || state === 'terminated'
      ? []
      : [{ kind: 'instance', id, name: tagsOf(tags).Name, because, state } as const];
  });
}

async function findVolumes(aws: DrainAws, query: LeftoverQuery): Promise<Leftover[]> {
  const volumes = await byTags(query, (filters) =>
    allPages(async (token) => {
      const { Volumes, NextToken } = await aws.ec2('DescribeVolumes', (ec2) =>
        withList('Volumes', ec2.describeVolumes({ Filters: filters, NextToken: token })),
      );
      return { items: Volumes, next: NextToken };
    }),
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
async function findInterfaces(aws: DrainAws, query: LeftoverQuery): Promise<Leftover[]> {
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

async function listInterfaces(aws: DrainAws, filters: Filter[]): Promise<readonly NetworkInterface[]> {
  return allPages(async (token) => {
    const { NetworkInterfaces, NextToken } = await aws.ec2('DescribeNetworkInterfaces', (ec2) =>
      withList('NetworkInterfaces', ec2.describeNetworkInterfaces({ Filters: filters, NextToken: token })),
    );
    return { items: NetworkInterfaces, next: NextToken };
  });
}

/**
 * Classic Load Balancers, which the cloud controller manager makes for Services, are seen by their network interfaces in the
 * cluster's security groups: `ELB NAME`, where newer kinds have `ELB app/NAME/ID` and `ELB net/NAME/ID`.
 */
async function findClassicBalancers(aws: DrainAws, groups: readonly string[]): Promise<Leftover[]> {
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
