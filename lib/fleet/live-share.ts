import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from '../aws';
import { askAws, everyPage, withList } from '../aws';
import type { Clock } from '../shift';
import { systemClock } from '../shift';
import type { SlotShare } from './in-place-changes';
import type { SlotIdentity } from './live-cluster';
import type { AskBalancing, ListenerRule } from './listener-rules';
import { forwardedTo, listenerRules } from './listener-rules';
import { isOfSlot } from './live-cluster';
import type { SlotRecords } from './record-shares';
import { aliasName, roundedShare, slotRecords } from './record-shares';
import { isSticky, stickyShare } from './sticky-traffic';
import { isTestRoute } from './test-route';

/**
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
 */
const mostArnsInOneCall = 20;

/** Where live traffic is looked for. */
export interface LiveShareOptions {
  /** Ids of the hosted zones that may have records of the fleet. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** The time, and waiting for it. @default - this machine's */
  readonly clock?: Clock;
}

/**
 * The largest share of live traffic that a slot has: on any rule or listener of any load balancer, where its target groups are
 * found by their tags, and on weighted records of Route 53. A load balancer that nothing but the slot's own records are an
 * alias of has no more than their share.
 *
 * Where stickiness keeps clients with their slot, what counts is the share of requests, if that is larger. Test routes are
 * left out.
 *
 * @throws AwsError
 */
export async function liveShare(
  clients: AwsClients,
  slot: SlotIdentity,
  { hostedZoneIds, clock = systemClock }: LiveShareOptions = {},
): Promise<SlotShare> {
  const client = await clients.elasticLoadBalancing();
  const ask: AskBalancing = (action, call) =>
    askAws(
      {
        action: `elasticloadbalancing:${action}`,
        subject: `slot ${slot.slot} of fleet ${slot.fleet}`,
        region: clients.region,
      },
      () => call(client),
    );
  const used = (await targetGroups(ask)).filter(({ loadBalancers }) => loadBalancers.length > 0);
  const { own, ofFleet } = await taggedGroups(
    ask,
    used.map(({ arn }) => arn),
    slot,
  );
  const balancers = new Set(
    used.filter(({ arn }) => own.has(arn)).flatMap(({ loadBalancers }) => loadBalancers),
  );
  const records = await slotRecords(clients, slot, {
    hostedZoneIds,
    sleep: (milliseconds) => clock.sleep(milliseconds),
  });
  const limits =
    records.own.length > 0 ? await dnsLimits(ask, balancers, records) : new Map<string, number>();
  const shares: SlotShare[] = [...records.own];
  for (const balancer of balancers) {
    const limit = limits.get(balancer) ?? 100;
    for (const rules of await listenerRules(ask, balancer)) {
      for (const rule of rules.filter((each) => !isTestRoute(each, rules, ofFleet))) {
        shares.push(await ruleShare(clients, rule, own, limit, clock.wall?.() ?? clock.now()));
      }
    }
  }
  return shares.reduce(
    (largest, { percent, where, sticky }) =>
      percent > largest.percent ? { percent, where, ...(sticky && { sticky }) } : largest,
    { percent: 0, where: 'no rule' },
  );
}

/** The share of one rule, which has no more than the limit of all traffic. */
async function ruleShare(
  clients: AwsClients,
  rule: ListenerRule,
  own: ReadonlySet<string>,
  limit: number,
  now: number,
): Promise<SlotShare> {
  const { where } = rule;
  const byWeight = shareOf(rule.actions, own);
  const counted =
    byWeight < 100 && limit > 0 && isSticky(rule, own)
      ? await stickyShare(clients, rule, own, now)
      : undefined;
  return counted && counted.percent > byWeight
    ? { where, percent: roundedShare((counted.percent * limit) / 100), sticky: counted.sticky }
    : { where, percent: roundedShare((byWeight * limit) / 100) };
}

/** Percent of a name's answers that lead to a load balancer, where the slot's records alone do. */
async function dnsLimits(
  ask: AskBalancing,
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

interface UsedTargetGroup {
  readonly arn: string;
  readonly loadBalancers: readonly string[];
}

async function targetGroups(ask: AskBalancing): Promise<readonly UsedTargetGroup[]> {
  const call = { action: 'elasticloadbalancing:DescribeTargetGroups', subject: 'the account' };
  return everyPage(call, async (Marker) => {
    const { TargetGroups, NextMarker } = await ask('DescribeTargetGroups', (client) =>
      withList('TargetGroups', client.describeTargetGroups({ Marker })),
    );
    const items = TargetGroups.map(({ TargetGroupArn: arn = '', LoadBalancerArns: loadBalancers = [] }) => ({
      ...{ arn, loadBalancers },
    }));
    return { items, next: NextMarker };
  });
}

/** Target groups of a slot, and of its whole fleet. */
interface TaggedGroups {
  readonly own: ReadonlySet<string>;
  readonly ofFleet: ReadonlySet<string>;
}

async function taggedGroups(
  ask: AskBalancing,
  arns: readonly string[],
  slot: SlotIdentity,
): Promise<TaggedGroups> {
  const own = new Set<string>();
  const ofFleet = new Set<string>();
  for (let start = 0; start < arns.length; start += mostArnsInOneCall) {
    const some = arns.slice(start, start + mostArnsInOneCall);
    const { TagDescriptions } = await ask('DescribeTags', (client) =>
      withList('TagDescriptions', client.describeTags({ ResourceArns: some })),
    );
    for (const { ResourceArn = '', Tags = [] } of TagDescriptions) {
      const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
      if (tags['cluster-canary/fleet'] === slot.fleet) {
        ofFleet.add(ResourceArn);
      }
      if (isOfSlot(tags, slot)) {
        own.add(ResourceArn);
      }
    }
  }
  return { own, ofFleet };
}

/** The share of an action's traffic that goes to these target groups, in percent with one digit after the point. */
export function shareOf(actions: readonly Action[], own: ReadonlySet<string>): number {
  const groups = forwardedTo(actions);
  const weight = (some: typeof groups): number => some.reduce((total, each) => total + each.weight, 0);
  const sum = weight(groups);
  return sum === 0 ? 0 : roundedShare((100 * weight(groups.filter(({ arn }) => own.has(arn)))) / sum);
}
