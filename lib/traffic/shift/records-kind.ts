import type { RecordType } from '../../routers';
import type { Weights } from '../../shift';
import { systemClock } from '../../shift';
import { enteringRouter } from './entering-router';
import { liveRecords } from './live-records';
import { recordChange, recordRefusal } from './record-change';
import { bareZone, recordsId, recordsOf } from './records-id';
import type { RuleKind } from './rule-kind';
import type { HookedResource } from './hooked-resource';
import { slotWeights } from './rule-slots';
import type { WeightsByArn } from './rule-weights';

/**
 * Weighted records of Route 53: `aws.route53.Record`, one for each slot and type. The records of one name are one rule.
 *
 * @param names of the records that are shifted together, each a rule
 * @param types whose records have the same weights
 */
export function weightedRecords(names: readonly string[], types: readonly RecordType[]): RuleKind {
  return {
    word: 'records',
    property: 'weightedRoutingPolicies',
    hasParts: true,
    holdsTargets: false,
    placeIn: zoneIn,
    idOf: (resource) => recordsId(zoneIn(resource) ?? '', String(resource.newInputs?.name)),
    placeOf: (id) => recordsOf(id).zone,
    change: recordChange,
    refusal: recordRefusal,
    origin: originOfRecords,
    live: (clients) => liveRecords(clients, names, types, systemClock),
    layer: () => 'names',
    router: ({ id, types: there = types }, setIdentifiers, access) => {
      const { zone, name } = recordsOf(id);
      return {
        route53: { hostedZoneId: zone, recordName: name, recordType: there, setIdentifiers, ...access },
      };
    },
    attaching: (router, rule, wanted, _weights, clients) =>
      enteringRouter(router, rule, wanted, clients, systemClock),
    planned: (id, roleArn) => {
      const { zone, name } = recordsOf(id);
      return {
        route53: {
          hostedZoneId: zone,
          recordName: name,
          recordType: types,
          ...(roleArn !== undefined && { roleArn }),
        },
      };
    },
    plannedSlot: (setIdentifier) => ({ setIdentifier }),
  };
}

/**
 * The weights before, from those of the records that are about to be updated: each resource knows but its own. One record
 * that nothing is known of had what is left.
 */
export function originOfRecords(
  before: WeightsByArn,
  setIdentifiers: Readonly<Record<string, string>>,
): Weights | undefined {
  const unknown = Object.values(setIdentifiers).filter((identifier) => !before.has(identifier));
  const left = 100 - [...before.values()].reduce((sum, weight) => sum + weight, 0);
  if (left < 0 || (left > 0 && unknown.length !== 1)) {
    return undefined;
  }
  return slotWeights(
    new Map([...before, ...unknown.map((identifier) => [identifier, left] as const)]),
    setIdentifiers,
  );
}

function zoneIn({ newInputs }: HookedResource): string | undefined {
  const zone: unknown = newInputs?.zoneId;
  return typeof zone === 'string' ? bareZone(zone) : undefined;
}
