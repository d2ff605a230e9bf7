import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { AwsClients } from '../../aws';
import { plainName, RecordZone } from '../../routers';
import type { RecordType } from '../../routers';
import type { Clock } from '../../shift';
import type { LiveRules } from './live-rules';
import { recordsId } from './records-id';
import { ruleTag, slotTag } from './rule-identity';

/**
 * The weighted records of some names. Records have no tags: a name is its own, and a slot that the program has no more goes by
 * its set identifier.
 */
export function liveRecords(
  clients: AwsClients,
  names: readonly string[],
  types: readonly RecordType[],
  clock: Clock,
): LiveRules {
  return {
    at: async (zone, signal) => {
      const found = await Promise.all(
        names.map(async (name) => ({
          name: plainName(name),
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
  const subject = `Route 53 records ${plainName(name)}`;
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
