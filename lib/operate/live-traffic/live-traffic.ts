import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type {
  HostedZone,
  ListResourceRecordSetsCommandInput,
  ResourceRecordSet,
  Route53,
} from '@aws-sdk/client-route-53';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import { callAws } from '../../core/aws/errors';
import { LoadBalancingReader, askBalancing } from '../../core/aws/load-balancing';
import { everyPage, withList } from '../../core/aws/pages';
import type { StickyTraffic } from '../drain';
import { forwardedTo, isTestRoute, listenerRules } from './listener-rules';
import type { ListenerRule } from './listener-rules';
import { isSticky, stickyShare } from './sticky-traffic';
import { targetGroupsOfSlot, usedTargetGroups } from './target-groups';
import type { SlotIdentity } from './target-groups';

/** Share that a weighted record of a slot has of its name's answers. */
export interface RecordShare {
  /** Percent, with one digit after the point. */
  readonly percent: number;
  /** `Route 53 record www.example.com A` */
  readonly where: string;
  /** DNS name that it is an alias of. @default - it has values */
  readonly alias?: string;
}

/** What Route 53 says of a slot. */
interface SlotRecords {
  readonly own: readonly RecordShare[];
  /** DNS names that records of others lead to: by an alias, or by a CNAME. */
  readonly othersAliases: ReadonlySet<string>;
}

/** Where the records of a slot are looked for, and how. */
export interface RecordSearch {
  /** Ids of the hosted zones that may have some. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** Waits between two calls. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * Between two calls, in milliseconds: an account has five calls a second, which others need, too.
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
 */
const betweenCalls = 400;

/** Records that a hosted zone has from the start: NS and SOA. */
const ownRecords = 2;

/** The most that one call answers. */
const mostRecordsInOneCall = 300;

/**
 * The weighted records of a slot, which are those with the set identifier `FLEET-SLOT`, as `FleetRecords` gives it: in the hosted
 * zones that are named, else in every one of the account that may have some. A zone whose only records are its own has none, and
 * into one that another service keeps (AWS Cloud Map, say) no other writer is expected.
 *
 * Route 53 finds records by name alone, so each of these zones is read to its end, at half the rate that an account has.
 *
 * @throws AwsError
 */
export async function slotRecords(
  clients: AwsClients,
  slot: SlotIdentity,
  search: RecordSearch,
): Promise<SlotRecords> {
  const found = await zoneRecords(clients, slot, search);
  return recordsOfSlot(
    found.map(({ sets }) => sets),
    slot,
  );
}

/** The records of a hosted zone. */
export interface ZoneRecords {
  /** Id of the zone, maybe with `/hostedzone/` before it. */
  readonly zone: string;
  readonly sets: readonly ResourceRecordSet[];
}

/**
 * The records of the hosted zones that may have some of a fleet's.
 *
 * @param unread is called with a zone that can't be read. @default - the error is thrown
 * @throws AwsError
 */
export async function zoneRecords(
  clients: AwsClients,
  slot: SlotIdentity,
  { hostedZoneIds, sleep }: RecordSearch,
  unread?: (zone: string, error: unknown) => void,
): Promise<readonly ZoneRecords[]> {
  let isFirst = true;
  const asked: Ask = async (action, call) => {
    if (!isFirst) {
      await sleep(betweenCalls);
    }
    isFirst = false;
    const subject = `slot ${slot.slot} of fleet ${slot.fleet}`;
    return callAws({ action: `route53:${action}`, subject }, async () => call(await clients.route53()));
  };
  const found: ZoneRecords[] = [];
  for (const zone of hostedZoneIds ?? (await zones(asked))) {
    try {
      found.push({ zone, sets: await recordsIn(asked, zone) });
    } catch (error) {
      if (!unread) {
        throw error;
      }
      unread(zone, error);
    }
  }
  return found;
}

type Ask = <Answer>(action: string, call: (client: Route53) => Promise<Answer>) => Promise<Answer>;

/**
 * The same, of the records that were found.
 *
 * @param zones record sets by zone: the same name may be in two
 */
export function recordsOfSlot(
  zones: readonly (readonly ResourceRecordSet[])[],
  { fleet, slot }: SlotIdentity,
): SlotRecords {
  const own: RecordShare[] = [];
  const othersAliases = new Set<string>();
  for (const set of zones.flat()) {
    const alias = set.AliasTarget?.DNSName === undefined ? undefined : aliasName(set.AliasTarget.DNSName);
    if (set.SetIdentifier === `${fleet}-${slot}` && set.Weight !== undefined) {
      const zone = zones.find((each) => each.includes(set))!;
      own.push({
        percent: shareOfSet(set, zone),
        where: `Route 53 record ${aliasName(set.Name ?? '')} ${set.Type}`,
        ...(alias !== undefined && { alias }),
      });
    } else {
      leadsTo(set).forEach((name) => othersAliases.add(name));
    }
  }
  return { own, othersAliases };
}

/** DNS names that a record set covers. */
function leadsTo({ Type, AliasTarget, ResourceRecords = [] }: ResourceRecordSet): string[] {
  const names = Type === 'CNAME' ? ResourceRecords.map(({ Value }) => Value) : [];
  return [AliasTarget?.DNSName, ...names].flatMap((name) => (name === undefined ? [] : aliasName(name)));
}

/**
 * Weights that are all 0 are equal shares.
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/routing-policy-weighted.html
 */
function shareOfSet(set: ResourceRecordSet, zone: readonly ResourceRecordSet[]): number {
  const group = zone.filter(
    ({ Name, Type, Weight }) => Name === set.Name && Type === set.Type && Weight !== undefined,
  );
  const sum = group.reduce((total, { Weight = 0 }) => total + Weight, 0);
  const share = sum === 0 ? 1 / group.length : set.Weight! / sum;
  return roundedShare(100 * share);
}

/** Percent with one digit after the point. One request in a million is some traffic, too. */
function roundedShare(percent: number): number {
  return percent > 0 ? Math.max(Math.round(percent * 10) / 10, 0.1) : 0;
}

/** A DNS name as it is compared; the console writes `dualstack.` before that of a load balancer. */
function aliasName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^dualstack\./, '');
}

async function zones(ask: Ask): Promise<readonly string[]> {
  const call = { action: 'route53:ListHostedZones', subject: 'the account' };
  const found = await everyPage(call, async (Marker) => {
    const page = await ask('ListHostedZones', (client) =>
      withList('HostedZones', client.listHostedZones({ Marker })),
    );
    return { items: page.HostedZones, next: page.IsTruncated ? page.NextMarker : undefined };
  });
  return found.filter(mayHaveRecords).map(({ Id = '' }) => Id);
}

function mayHaveRecords({ ResourceRecordSetCount, LinkedService }: HostedZone): boolean {
  return LinkedService === undefined && (ResourceRecordSetCount ?? Infinity) > ownRecords;
}

async function recordsIn(ask: Ask, zone: string): Promise<readonly ResourceRecordSet[]> {
  const call = { action: 'route53:ListResourceRecordSets', subject: `hosted zone ${zone}` };
  return everyPage<ResourceRecordSet, Partial<ListResourceRecordSetsCommandInput>>(call, async (from) => {
    const page = await ask('ListResourceRecordSets', (client) =>
      withList(
        'ResourceRecordSets',
        client.listResourceRecordSets({ HostedZoneId: zone, MaxItems: mostRecordsInOneCall, ...from }),
      ),
    );
    const next = {
      StartRecordName: page.NextRecordName,
      StartRecordType: page.NextRecordType,
      StartRecordIdentifier: page.NextRecordIdentifier,
    };
    return { items: page.ResourceRecordSets, next: page.IsTruncated ? next : undefined };
  });
}

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
  const reader = new LoadBalancingReader(askBalancing(clients, `slot ${slot.slot} of fleet ${slot.fleet}`));
  const { own, ofFleet, balancers } = targetGroupsOfSlot(await usedTargetGroups(reader), slot);
  const records = await slotRecords(clients, slot, {
    hostedZoneIds,
    sleep: (milliseconds) => clock.sleep(milliseconds),
  });
  const limits =
    records.own.length > 0 ? await dnsLimits(reader, balancers, records) : new Map<string, number>();
  const shares: SlotShare[] = [...records.own];
  for (const balancer of balancers) {
    const limit = limits.get(balancer) ?? 100;
    for (const rules of await listenerRules(reader, balancer, ofFleet)) {
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
  const byWeight = trafficShare(rule.actions, own);
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
  reader: LoadBalancingReader,
  balancers: ReadonlySet<string>,
  { own, othersAliases }: SlotRecords,
): Promise<ReadonlyMap<string, number>> {
  const limits = new Map<string, number>();
  for (const arn of balancers) {
    const [balancer] = await reader.balancers([arn]);
    const name = aliasName(balancer?.DNSName ?? '');
    const percents = own.filter(({ alias }) => alias === name).map(({ percent }) => percent);
    if (percents.length > 0 && !othersAliases.has(name)) {
      limits.set(arn, Math.max(...percents));
    }
  }
  return limits;
}

/** The share of an action's traffic that goes to these target groups, in percent with one digit after the point. */
export function trafficShare(actions: readonly Action[], own: ReadonlySet<string>): number {
  const groups = forwardedTo(actions);
  const weight = (some: typeof groups): number => some.reduce((total, each) => total + each.weight, 0);
  const sum = weight(groups);
  return sum === 0 ? 0 : roundedShare((100 * weight(groups.filter(({ arn }) => own.has(arn)))) / sum);
}

/** The largest share of live traffic that a slot has on any rule. */
export interface SlotShare {
  /** The share, in percent. */
  readonly percent: number;
  /** ARN of the rule or listener, or the record. */
  readonly where: string;
  /** The requests that make the share, where it is more than the weights say. @default - the weights make it */
  readonly sticky?: StickyTraffic;
}
