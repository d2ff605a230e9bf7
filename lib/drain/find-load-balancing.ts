import { withList } from '../aws';
import type { DrainAws } from './drain-aws';
import { allPages } from './drain-aws';
import type { Leftover, LeftoverQuery, Tags } from './leftover';
import { claimOf, goesByItself } from './leftover';

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** Load balancers and target groups that a cluster's controllers made. */
export async function findLoadBalancing(aws: DrainAws, query: LeftoverQuery): Promise<Leftover[]> {
  const [balancers, groups] = await Promise.all([
    allPages(async (Marker) => {
      const { LoadBalancers, NextMarker } = await aws.balancing('DescribeLoadBalancers', (client) =>
        withList('LoadBalancers', client.describeLoadBalancers({ Marker })),
      );
      return { items: LoadBalancers, next: NextMarker };
    }),
    allPages(async (Marker) => {
      const { TargetGroups, NextMarker } = await aws.balancing('DescribeTargetGroups', (client) =>
        withList('TargetGroups', client.describeTargetGroups({ Marker })),
      );
      return { items: TargetGroups, next: NextMarker };
    }),
  ]);
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
  const tags = await tagsOf(
    aws,
    found.map(({ id }) => id),
  );
  return found.flatMap((each) => {
    const own = tags.get(each.id) ?? {};
    const because = claimOf(own, query.clusterName);
    return because === undefined || goesByItself(own, query.clusterIsThere) ? [] : [{ ...each, because }];
  });
}

async function tagsOf(aws: DrainAws, arns: readonly string[]): Promise<ReadonlyMap<string, Tags>> {
  const found = new Map<string, Tags>();
  for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
    const some = arns.slice(start, start + mostArnsInOneCall);
    const { TagDescriptions } = await aws.balancing('DescribeTags', (client) =>
      withList('TagDescriptions', client.describeTags({ ResourceArns: some })),
    );
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
      found.set(ResourceArn, Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
    }
  }
  return found;
}
