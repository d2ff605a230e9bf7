import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import { errorLine } from '../../core/validation/problems';
import { nearestPercents, normalizedRecordName } from '../../shift/routers';
import type { RecordType, RouteSettings } from '../../shift/routers';
import { zoneRecords } from './live-traffic';
import type { ZoneRecords } from './live-traffic';
import { checkedRoute, slotNames } from './slot-routes';
import type { FoundRoutes } from './slot-routes';
import type { SlotIdentity } from './target-groups';

/** Where records of a slot are looked for. */
export interface SlotRecordSearch {
  /** Ids of the hosted zones that may have some. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** Waits between two calls. @default - by this machine's clock */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * The names whose weighted records are a slot's: those with the set identifier `FLEET-SLOT`. A zone that can't be read is a
 * problem, and keeps no other from being found.
 *
 * @throws AwsError where the zones can't be listed
 */
export async function slotRecordRoutes(
  clients: AwsClients,
  identity: SlotIdentity,
  { hostedZoneIds, clock = systemClock, signal }: SlotRecordSearch = {},
): Promise<FoundRoutes> {
  const unread: string[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds, signal);
    signal?.throwIfAborted();
  };
  const found = await zoneRecords(
    clients,
    identity,
    { sleep, ...(hostedZoneIds && { hostedZoneIds }) },
    (zone, error) => {
      signal?.throwIfAborted();
      unread.push(`hosted zone ${zone}: its records could not be read: ${errorLine(error)}`);
    },
  );
  const { routes, problems } = recordRoutes(found, identity);
  return { routes, problems: [...problems, ...unread] };
}

/** AWS takes a hundred weighted records of one name, and a route five slots. */
const mostSlots = 5;

/** The same, of the records that were found. */
export function recordRoutes(zones: readonly ZoneRecords[], identity: SlotIdentity): FoundRoutes {
  const identifier = `${identity.fleet}-${identity.slot}`;
  const routes: Record<string, RouteSettings> = {};
  const problems: string[] = [];
  for (const { zone, sets } of zones) {
    const weighted = sets.filter(({ Weight }) => Weight !== undefined);
    const names = weighted.flatMap(({ SetIdentifier, Name = '' }) =>
      SetIdentifier === identifier ? [Name] : [],
    );
    for (const name of new Set(names)) {
      const ofName = weighted.filter(({ Name }) => Name === name);
      for (const types of typesOfOneWeight(ofName, identifier)) {
        const hostedZoneId = zone.replace('/hostedzone/', '');
        const where = `records ${normalizedRecordName(name)} ${types.join(', ')} in ${hostedZoneId}`;
        const slots = slotsOf(
          ofName.filter(({ Type }) => Type === types[0]),
          identity,
        );
        const route = checkedRoute(
          where,
          !types.every(isRecordType)
            ? `${where}: weights of this type can't be written`
            : Object.keys(slots).length < 2
              ? `${where}: ${identifier} is the only weighted record`
              : {
                  router: {
                    route53: {
                      hostedZoneId,
                      recordName: normalizedRecordName(name),
                      recordType: types.length === 1 ? types[0]! : types,
                    },
                  },
                  slots,
                },
        );
        if (typeof route === 'string') {
          problems.push(route);
        } else if (route) {
          routes[where] = route;
        }
      }
    }
  }
  return { routes, problems };
}

/** Types of one name that have a record of the slot, together where their records have the same weights. */
function typesOfOneWeight(
  ofName: readonly ResourceRecordSet[],
  identifier: string,
): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const { Type: type = '' } of ofName.filter(({ SetIdentifier }) => SetIdentifier === identifier)) {
    const key = JSON.stringify([isRecordType(type), weightsOf(ofName, type)]);
    groups.set(key, [...(groups.get(key) ?? []), type]);
  }
  return [...groups.values()].map((types) => types.sort());
}

/** Percents by set identifier, in the order of these. */
function weightsOf(
  ofName: readonly ResourceRecordSet[],
  type: string,
): readonly (readonly [string, number])[] {
  const raw = ofName
    .filter(({ Type }) => Type === type)
    .map(({ SetIdentifier = '', Weight = 0 }) => [SetIdentifier, Weight] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const isAnswered = raw.some(([, weight]) => weight > 0);
  return isAnswered ? Object.entries(nearestPercents(Object.fromEntries(raw))) : raw;
}

/** The slot, the other slots of the fleet, and whatever else has weight. */
function slotsOf(
  ofType: readonly ResourceRecordSet[],
  { fleet, slot }: SlotIdentity,
): Record<string, { readonly setIdentifier: string }> {
  const rank = ({ SetIdentifier = '', Weight = 0 }: ResourceRecordSet): number =>
    SetIdentifier === `${fleet}-${slot}` ? 0 : Weight > 0 ? 1 : SetIdentifier.startsWith(`${fleet}-`) ? 2 : 3;
  const most = [...ofType].sort((one, other) => rank(one) - rank(other)).slice(0, mostSlots);
  const identifiers = ofType
    .filter((each) => most.includes(each))
    .map(({ SetIdentifier = '' }) => SetIdentifier);
  const names = slotNames(
    identifiers.map((each) => ({
      name: each.startsWith(`${fleet}-`) ? each.slice(fleet.length + 1) : undefined,
      other: each,
    })),
  );
  return Object.fromEntries(names.map((name, at) => [name, { setIdentifier: identifiers[at]! }]));
}

function isRecordType(type: string): type is RecordType {
  return type === 'A' || type === 'AAAA' || type === 'CNAME';
}
