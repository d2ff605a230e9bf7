import type { ResourceRecordSet, Route53 } from '@aws-sdk/client-route-53';
import type { AwsClients } from '../aws';
import { askAws, withList } from '../aws';
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
  /** DNS names that records of others are aliases of. */
  readonly othersAliases: ReadonlySet<string>;
}

/**
 * The weighted records of a slot in every hosted zone of the account: those with the set identifier `FLEET-SLOT`, which
 * `FleetRecords` gives.
 *
 * @throws AwsError
 */
export async function slotRecords(clients: AwsClients, slot: SlotIdentity): Promise<SlotRecords> {
  const sets: ResourceRecordSet[][] = [];
  for (const zone of await zones(clients, slot)) {
    sets.push(await recordsIn(clients, slot, zone));
  }
  return recordsOfSlot(sets, slot);
}

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
    } else if (alias !== undefined) {
      othersAliases.add(alias);
    }
  }
  return { own, othersAliases };
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
  return Math.round(share * 1000) / 10;
}

/** A DNS name as it is compared; the console writes `dualstack.` before that of a load balancer. */
export function aliasName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^dualstack\./, '');
}

async function zones(clients: AwsClients, slot: SlotIdentity): Promise<readonly string[]> {
  const found: string[] = [];
  let Marker: string | undefined;
  do {
    const page = await ask(clients, slot, 'ListHostedZones', (client) =>
      withList('HostedZones', client.listHostedZones({ Marker })),
    );
    found.push(...page.HostedZones.map(({ Id = '' }) => Id));
    Marker = page.IsTruncated ? page.NextMarker : undefined;
  } while (Marker);
  return found;
}

async function recordsIn(
  clients: AwsClients,
  slot: SlotIdentity,
  zone: string,
): Promise<ResourceRecordSet[]> {
  const found: ResourceRecordSet[] = [];
  let from: Parameters<Route53['listResourceRecordSets']>[0] | undefined = { HostedZoneId: zone };
  while (from) {
    const asked: Parameters<Route53['listResourceRecordSets']>[0] = from;
    const page = await ask(clients, slot, 'ListResourceRecordSets', (client) =>
      withList('ResourceRecordSets', client.listResourceRecordSets(asked)),
    );
    found.push(...page.ResourceRecordSets);
    from = page.IsTruncated
      ? {
          HostedZoneId: zone,
          StartRecordName: page.NextRecordName,
          StartRecordType: page.NextRecordType,
          StartRecordIdentifier: page.NextRecordIdentifier,
        }
      : undefined;
  }
  return found;
}

function ask<Answer>(
  clients: AwsClients,
  { fleet, slot }: SlotIdentity,
  action: string,
  call: (client: Route53) => Promise<Answer>,
): Promise<Answer> {
  const subject = `slot ${slot} of fleet ${fleet}`;
  return askAws({ action: `route53:${action}`, subject }, async () => call(await clients.route53()));
}
