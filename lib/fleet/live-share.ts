import type { Action, ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from '../aws';
import { askAws, withList } from '../aws';
import type { SlotShare } from './in-place-changes';
import type { SlotIdentity } from './live-cluster';
import { isOfSlot } from './live-cluster';
import type { SlotRecords } from './record-shares';
import { aliasName, slotRecords } from './record-shares';

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/**
 * The largest share of live traffic that a slot has: on any rule or listener of any load balancer, where its target groups are
 * found by their tags, and on weighted records of Route 53. A load balancer that nothing but the slot's own records are an
 * alias of has no more than their share.
 *
 * @throws AwsError
 */
export async function liveShare(clients: AwsClients, slot: SlotIdentity): Promise<SlotShare> {
  const client = await clients.elasticLoadBalancing();
  const ask: Ask = (action, call) =>
    askAws(
      {
        action: `elasticloadbalancing:${action}`,
        subject: `slot ${slot.slot} of fleet ${slot.fleet}`,
        region: clients.region,
      },
      () => call(client),
    );
  const used = (await targetGroups(ask)).filter(({ loadBalancers }) => loadBalancers.length > 0);
  const own = await ofSlot(
    ask,
    used.map(({ arn }) => arn),
    slot,
  );
  const balancers = new Set(
    used.filter(({ arn }) => own.has(arn)).flatMap(({ loadBalancers }) => loadBalancers),
  );
  const records = await slotRecords(clients, slot);
  const limits =
    records.own.length > 0 ? await dnsLimits(ask, balancers, records) : new Map<string, number>();
  const shares: SlotShare[] = [...records.own];
  for (const balancer of balancers) {
    for (const { where, actions } of await forwards(ask, balancer)) {
      const percent = (shareOf(actions, own) * (limits.get(balancer) ?? 100)) / 100;
      shares.push({ percent: Math.round(percent * 10) / 10, where });
    }
  }
  return shares.reduce(
    (largest, { percent, where }) => (percent > largest.percent ? { percent, where } : largest),
    {
      percent: 0,
      where: 'no rule',
    },
  );
}

/** Percent of a name's answers that lead to a load balancer, where the slot's records alone do. */
async function dnsLimits(
  ask: Ask,
  balancers: ReadonlySet<string>,
  { own, othersAliases }: SlotRecords,
): Promise<ReadonlyMap<string, number>> {
  const limits = new Map<string, number>();
  for (const arn of balancers) {
    const { LoadBalancers } = await ask('DescribeLoadBalancers', (client) =>
      withList('LoadBalancers', client.describeLoadBalancers({ LoadBalancerArns: [arn] })),
    );
    const name = aliasName(LoadBalancers[0]?.DNSName ?? '');
    const percents = own.filter(({ alias }) => alias === name).map(({ percent }) => percent);
    if (percents.length > 0 && !othersAliases.has(name)) {
      limits.set(arn, Math.max(...percents));
    }
  }
  return limits;
}

type Ask = <Answer>(
  action: string,
  call: (client: ElasticLoadBalancingV2) => Promise<Answer>,
) => Promise<Answer>;

interface UsedTargetGroup {
  readonly arn: string;
  readonly loadBalancers: readonly string[];
}

async function targetGroups(ask: Ask): Promise<UsedTargetGroup[]> {
  const found: UsedTargetGroup[] = [];
  let Marker: string | undefined;
  do {
    const page = await ask('DescribeTargetGroups', (client) =>
      withList('TargetGroups', client.describeTargetGroups({ Marker })),
    );
    for (const { TargetGroupArn: arn = '', LoadBalancerArns: loadBalancers = [] } of page.TargetGroups) {
      found.push({ arn, loadBalancers });
    }
    Marker = page.NextMarker;
  } while (Marker);
  return found;
}

async function ofSlot(ask: Ask, arns: readonly string[], slot: SlotIdentity): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
    const some = arns.slice(start, start + mostArnsInOneCall);
    const { TagDescriptions } = await ask('DescribeTags', (client) =>
      withList('TagDescriptions', client.describeTags({ ResourceArns: some })),
    );
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
      const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
      if (isOfSlot(tags, slot)) {
        own.add(ResourceArn);
      }
    }
  }
  return own;
}

/** What the listeners of a load balancer do by default, and what their rules do. */
async function forwards(
  ask: Ask,
  balancer: string,
): Promise<readonly { readonly where: string; readonly actions: readonly Action[] }[]> {
  const found: { where: string; actions: readonly Action[] }[] = [];
  let Marker: string | undefined;
  do {
    const page = await ask('DescribeListeners', (client) =>
      withList('Listeners', client.describeListeners({ LoadBalancerArn: balancer, Marker })),
    );
    for (const { ListenerArn = '', DefaultActions = [] } of page.Listeners) {
      found.push({ where: ListenerArn, actions: DefaultActions });
      // A Network Load Balancer's listeners have no rules.
      found.push(...(ListenerArn.includes(':listener/app/') ? await rules(ask, ListenerArn) : []));
    }
    Marker = page.NextMarker;
  } while (Marker);
  return found;
}

async function rules(ask: Ask, listener: string): Promise<{ where: string; actions: readonly Action[] }[]> {
  const found: { where: string; actions: readonly Action[] }[] = [];
  let Marker: string | undefined;
  do {
    const page = await ask('DescribeRules', (client) =>
      withList('Rules', client.describeRules({ ListenerArn: listener, Marker })),
    );
    found.push(...page.Rules.map(({ RuleArn = '', Actions = [] }) => ({ where: RuleArn, actions: Actions })));
    Marker = page.NextMarker;
  } while (Marker);
  return found;
}

/** The share of an action's traffic that goes to these target groups, in percent with one digit after the point. */
export function shareOf(actions: readonly Action[], own: ReadonlySet<string>): number {
  const forward = actions.find(({ Type }) => Type === 'forward');
  const groups = forward?.ForwardConfig?.TargetGroups ?? [];
  if (groups.length < 2) {
    return own.has(groups[0]?.TargetGroupArn ?? forward?.TargetGroupArn ?? '') ? 100 : 0;
  }
  const sum = groups.reduce((total, { Weight = 0 }) => total + Weight, 0);
  const mine = groups
    .filter(({ TargetGroupArn = '' }) => own.has(TargetGroupArn))
    .reduce((total, { Weight = 0 }) => total + Weight, 0);
  return sum === 0 ? 0 : Math.round((mine * 1000) / sum) / 10;
}
