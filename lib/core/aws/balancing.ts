import type {
  ElasticLoadBalancingV2,
  Listener,
  LoadBalancer,
  Rule,
  TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { everyPage, pageOf, withList } from './pages';

/**
 * Calls Elastic Load Balancing.
 *
 * @param action for errors: `DescribeRules`
 * @throws AwsError
 */
export type AskBalancing = <Answer>(
  action: string,
  call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
) => Promise<Answer>;

const action = 'elasticloadbalancing:';

/** All load balancers of the account in the region, but for classic ones. */
export function everyLoadBalancer(ask: AskBalancing): Promise<readonly LoadBalancer[]> {
  return everyPage({ action: `${action}DescribeLoadBalancers`, subject: 'the account' }, (Marker) =>
    ask('DescribeLoadBalancers', (client) =>
      pageOf('LoadBalancers', client.describeLoadBalancers({ Marker })),
    ),
  );
}

/** All target groups of the account in the region. */
export function everyTargetGroup(ask: AskBalancing): Promise<readonly TargetGroup[]> {
  return everyPage({ action: `${action}DescribeTargetGroups`, subject: 'the account' }, (Marker) =>
    ask('DescribeTargetGroups', (client) => pageOf('TargetGroups', client.describeTargetGroups({ Marker }))),
  );
}

/** All listeners of a load balancer. */
export function everyListener(ask: AskBalancing, balancer: string): Promise<readonly Listener[]> {
  return everyPage({ action: `${action}DescribeListeners`, subject: balancer }, (Marker) =>
    ask('DescribeListeners', (client) =>
      pageOf('Listeners', client.describeListeners({ LoadBalancerArn: balancer, Marker })),
    ),
  );
}

/** All rules of a listener, with the one for the rest. */
export function everyRule(ask: AskBalancing, listener: string): Promise<readonly Rule[]> {
  return everyPage({ action: `${action}DescribeRules`, subject: listener }, (Marker) =>
    ask('DescribeRules', (client) =>
      pageOf('Rules', client.describeRules({ ListenerArn: listener, Marker })),
    ),
  );
}

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** Tags by ARN of load balancers, listeners, rules and target groups. */
export async function balancingTags(
  ask: AskBalancing,
  arns: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
    const some = arns.slice(start, start + mostArnsInOneCall);
    const { TagDescriptions } = await ask('DescribeTags', (client) =>
      withList('TagDescriptions', client.describeTags({ ResourceArns: some })),
    );
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
      found.set(ResourceArn, Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])));
    }
  }
  return found;
}
