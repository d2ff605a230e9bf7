import type {
  HostedZone,
  ListResourceRecordSetsCommandInput,
  ResourceRecordSet,
  Route53,
} from '@aws-sdk/client-route-53';
import type { AwsClients } from '../aws';
import { askAws, everyPage, withList } from '../aws';
import type { SlotIdentity } from './live-cluster';

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
export interface SlotRecords {
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
 * into one that another service keeps (AWS Cloud Map, say) nobody else writes.
 *
 * Route 53 finds records by name alone, so each of these zones is read to its end, at half the rate that an account has.
 *
 * @throws AwsError
 */
export async function slotRecords(
  clients: AwsClients,
  slot: SlotIdentity,
  { hostedZoneIds, sleep }: RecordSearch,
): Promise<SlotRecords> {
  let isFirst = true;
  const asked: Ask = async (action, call) => {
    if (!isFirst) {
      await sleep(betweenCalls);
    }
    isFirst = false;
    const subject = `slot ${slot.slot} of fleet ${slot.fleet}`;
    return askAws({ action: `route53:${action}`, subject }, async () => call(await clients.route53()));
  };
  const sets: (readonly ResourceRecordSet[])[] = [];
  for (const zone of hostedZoneIds ?? (await zones(asked))) {
    sets.push(await recordsIn(asked, zone));
  }
  return recordsOfSlot(sets, slot);
}

type Ask = <Answer>(action: string, call: (client: Route53) => Promise<Answer>) => Promise<Answer>;

/**
 * The same, of the records that were found.
 *
 * @param zones record sets by zone: the same name may stand in two
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

/** DNS names that a record set stands for. */
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
export function roundedShare(percent: number): number {
  return percent > 0 ? Math.max(Math.round(percent * 10) / 10, 0.1) : 0;
}

/** A DNS name as it is compared; the console writes `dualstack.` before that of a load balancer. */
export function aliasName(name: string): string {
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
