import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { Weights } from '../shift';
import { describeWeights, equalWeights } from '../shift';
import type { Reading, Refusal } from './reading';
import { isRefusal, unfit } from './reading';
import { noWholePercents, wholePercents } from './whole-percents';

/** Which record sets hold the weights. */
export interface WeightedRecords {
  /** Name of the records: `www.example.com`. */
  readonly name: string;
  /** Types whose records carry the same weights: `A` and `AAAA`. */
  readonly types: readonly string[];
  /** Set identifier of each slot's record. */
  readonly setIdentifiers: Readonly<Record<string, string>>;
}

/** How long resolvers keep an alias record that points to a load balancer, in seconds. */
const aliasTtl = 60;

/**
 * A name as it is compared: in lower case, without the trailing dot, and without the escapes that Route 53 writes
 * (`\052` for `*`).
 *
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function plainName(name: string): string {
  return name
    .replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();
}

/**
 * A name as IAM's conditions on record names have it.
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/specifying-rrset-conditions.html
 */
export function conditionName(name: string): string {
  return plainName(name).replace(
    /[^a-z0-9._-]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** Whether a record set has the name and one of the types. */
export function belongs(set: ResourceRecordSet, { name, types }: WeightedRecords): boolean {
  return plainName(set.Name ?? '') === plainName(name) && types.some((type) => type === set.Type);
}

/**
 * The weights of the slots' records.
 *
 * @param sets record sets of that name and those types
 */
export function readRecords(sets: readonly ResourceRecordSet[], records: WeightedRecords): Reading {
  const refusal = misfit(sets, records);
  if (refusal) {
    return refusal;
  }
  const readings = records.types.map((type) => readType(sets, records, type));
  const first = readings[0]!;
  for (const [index, reading] of readings.entries()) {
    if (isRefusal(reading)) {
      return reading;
    }
    if (!isRefusal(first) && !equalWeights(first.weights, reading.weights)) {
      const [one, other] = [records.types[0], records.types[index]];
      return unfit(
        `the records of type ${one} have the weights ${describeWeights(first.weights)}, those of type ${other} have ` +
          `${describeWeights(reading.weights)}; give both the same ones first`,
      );
    }
  }
  return first;
}

/**
 * The change that gives the records other weights: all records at once, each as it was read but for its weight, so that
 * health check, alias target and TTL stay.
 */
export function weightChanges(
  sets: readonly ResourceRecordSet[],
  records: WeightedRecords,
  weights: Weights,
): readonly Change[] | Refusal {
  const refusal = misfit(sets, records);
  if (refusal) {
    return refusal;
  }
  return records.types.flatMap((type) =>
    Object.entries(records.setIdentifiers).map(([slot, identifier]) => ({
      Action: 'UPSERT' as const,
      ResourceRecordSet: { ...find(sets, type, identifier)!, Weight: weights[slot]! },
    })),
  );
}

/** How long resolvers keep what they have, in seconds: the longest of the records' TTLs. */
export function longestTtl(sets: readonly ResourceRecordSet[]): number {
  return Math.max(0, ...sets.map(({ TTL = 0, AliasTarget }) => (AliasTarget ? aliasTtl : TTL)));
}

/** Why these record sets can't carry a shift; the weights themselves are not looked at. */
function misfit(sets: readonly ResourceRecordSet[], records: WeightedRecords): Refusal | undefined {
  const identifiers = Object.values(records.setIdentifiers);
  for (const type of records.types) {
    const ofType = sets.filter(({ Type }) => Type === type);
    const missing = identifiers.filter((identifier) => !find(ofType, type, identifier));
    if (missing.length > 0) {
      const there = ofType.map(({ SetIdentifier }) => SetIdentifier ?? '(none)').join(', ') || 'none';
      return {
        failure: 'notFound',
        why: `there is no ${type} record with the set identifier ${missing.join(', ')}; there are: ${there}`,
      };
    }
    const unweighted = ofType.find(({ Weight }) => Weight === undefined);
    if (unweighted) {
      return unfit(`the ${type} record ${unweighted.SetIdentifier ?? ''} is not a weighted one`);
    }
    const managed = ofType.find(({ TrafficPolicyInstanceId }) => TrafficPolicyInstanceId !== undefined);
    if (managed) {
      return unfit(
        `the ${type} records belong to the traffic policy instance ${managed.TrafficPolicyInstanceId}`,
      );
    }
    const foreign = ofType.filter(
      ({ SetIdentifier = '', Weight = 0 }) => Weight > 0 && !identifiers.includes(SetIdentifier),
    );
    if (foreign.length > 0) {
      const figures = foreign
        .map(({ SetIdentifier, Weight }) => `${SetIdentifier} (weight ${Weight})`)
        .join(', ');
      return unfit(
        `traffic goes to a ${type} record of no slot: ${figures}; make a slot of it, or set its weight to 0`,
      );
    }
  }
  return undefined;
}

function readType(sets: readonly ResourceRecordSet[], records: WeightedRecords, type: string): Reading {
  const raw = Object.fromEntries(
    Object.entries(records.setIdentifiers).map(([slot, identifier]) => [
      slot,
      find(sets, type, identifier)!.Weight ?? 0,
    ]),
  );
  const weights = wholePercents(raw);
  if (!weights) {
    return unfit(
      noWholePercents(
        raw,
        `every weight is 0 (${describeWeights(raw)}), which Route 53 takes for equal shares`,
      ),
    );
  }
  return { weights, missing: [], notes: notes(sets, type) };
}

function notes(sets: readonly ResourceRecordSet[], type: string): string[] {
  return sets
    .filter(({ Type, HealthCheckId }) => Type === type && HealthCheckId !== undefined)
    .map(({ SetIdentifier, HealthCheckId }) => `keeps the health check ${HealthCheckId} of ${SetIdentifier}`);
}

function find(
  sets: readonly ResourceRecordSet[],
  type: string,
  identifier: string,
): ResourceRecordSet | undefined {
  return sets.find(({ Type, SetIdentifier }) => Type === type && SetIdentifier === identifier);
}
