import type { Change, RRType, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { Clock } from '../../../../core/async';
import type { AwsClients } from '../../../../core/aws/clients';
import { ruleTag, slotTag } from '../../../../core/names';
import { RouterError } from '../../../../shift/engine';
import type { Router } from '../../../../shift/engine';
import { RecordZone, normalizedRecordName, routerError } from '../../../../shift/routers';
import type { RecordType } from '../../../../shift/routers';
import type { LiveSplit, LiveSplits, SlotRecord, WantedSplit } from '../split-kind';

/** The id of the records of a name, which have none of their own. */
export function recordsId(zone: string, name: string): string {
  return `${bareZone(zone)}/${normalizedRecordName(name)}`;
}

/** Zone and name of such an id. */
export function recordsOf(id: string): { readonly zone: string; readonly name: string } {
  const slash = id.indexOf('/');
  return { zone: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** The id of a zone without its path. */
export function bareZone(zone: string): string {
  return zone.replace(/^\/hostedzone\//, '');
}

/**
 * The weighted records of some names. Records have no tags: a name is its own, and a slot that the program has no more goes by
 * its set identifier.
 */
export function liveRecords(
  clients: AwsClients,
  names: readonly string[],
  types: readonly RecordType[],
  clock: Clock,
): LiveSplits {
  return {
    at: async (zone, signal) => {
      const found = await Promise.all(
        names.map(async (name) => ({
          name: normalizedRecordName(name),
          sets: await recordSets(clients, zone, name, types, clock, signal),
        })),
      );
      return found
        .filter(({ sets }) => sets.length > 0)
        .map(({ name, sets }) => ({
          id: recordsId(zone, name),
          place: zone,
          priority: 0,
          targets: targetsOf(sets),
          tags: { [ruleTag]: name },
          types: types.filter((type) => sets.some(({ Type }) => Type === type)),
        }));
    },
    // Another name, or another zone, is something new to those who ask.
    around: () => Promise.resolve([]),
    tagsOf: (identifiers) =>
      Promise.resolve(new Map(identifiers.map((identifier) => [identifier, { [slotTag]: identifier }]))),
  };
}

/** The record sets of a name. */
export function recordSets(
  clients: AwsClients,
  zone: string,
  name: string,
  types: readonly string[],
  clock: Clock,
  signal?: AbortSignal,
): Promise<readonly ResourceRecordSet[]> {
  const subject = `Route 53 records ${normalizedRecordName(name)}`;
  return new RecordZone(subject, zone, clients, clock).sets({ name, types, setIdentifiers: {} }, signal);
}

/** Types have the same weights, or the router refuses them: the first that has a record says its weight. */
function targetsOf(sets: readonly ResourceRecordSet[]) {
  const weights = new Map<string, number>();
  for (const { SetIdentifier = '', Weight = 0 } of sets) {
    weights.set(SetIdentifier, weights.get(SetIdentifier) ?? Weight);
  }
  return [...weights].map(([arn, weight]) => ({ arn, weight }));
}

/**
 * The same router, whose first look makes the records of slots that have none yet, with weight 0: a record that the provider
 * makes has its wanted weight at once. The provider finds them there, and writes what stands there already.
 */
export function withMissingRecords(
  router: Router,
  { id, types = [] }: LiveSplit,
  { targets, records = {} }: WantedSplit,
  clients: AwsClients,
  clock: Clock,
): Router {
  const { zone: zoneId, name } = recordsOf(id);
  const zone = new RecordZone(router.name, zoneId, clients, clock);
  const enter = async (signal: AbortSignal | undefined): Promise<void> => {
    try {
      const sets = await zone.sets({ name, types, setIdentifiers: {} }, signal);
      const changes = entries(name, types, targets, records, sets);
      if (changes.length > 0) {
        await zone.change(changes, signal);
      }
    } catch (error) {
      throw routerError(error);
    }
  };
  let hasEntered = false;
  return {
    name: router.name,
    read: async (signal) => {
      try {
        const weights = await router.read(signal);
        hasEntered = true;
        return weights;
      } catch (error) {
        if (hasEntered || !(error instanceof RouterError && error.failure === 'notFound')) {
          throw error;
        }
      }
      await enter(signal);
      hasEntered = true;
      return router.read(signal);
    },
    write: (weights, signal, expected) => router.write(weights, signal, expected),
  };
}

/** The changes that make the records of slots that have none. */
export function entries(
  name: string,
  types: readonly string[],
  setIdentifiers: Readonly<Record<string, string>>,
  records: Readonly<Record<string, SlotRecord>>,
  sets: readonly ResourceRecordSet[],
): readonly Change[] {
  return types.flatMap((type) =>
    Object.entries(setIdentifiers)
      .filter(([, identifier]) => !sets.some((set) => set.Type === type && set.SetIdentifier === identifier))
      .flatMap(([slot, identifier]) => {
        const record = records[slot];
        return record === undefined
          ? []
          : [
              {
                Action: 'CREATE' as const,
                ResourceRecordSet: entry(name, type as RRType, identifier, record),
              },
            ];
      }),
  );
}

function entry(
  Name: string,
  Type: RRType,
  SetIdentifier: string,
  { alias, values = {}, ttl, healthCheckId }: SlotRecord,
): ResourceRecordSet {
  const says = alias
    ? {
        AliasTarget: {
          DNSName: alias.name,
          HostedZoneId: alias.zoneId,
          EvaluateTargetHealth: alias.evaluateTargetHealth,
        },
      }
    : { TTL: ttl, ResourceRecords: (values[Type] ?? []).map((Value) => ({ Value })) };
  return {
    Name,
    Type,
    SetIdentifier,
    Weight: 0,
    ...says,
    ...(healthCheckId !== undefined && { HealthCheckId: healthCheckId }),
  };
}
