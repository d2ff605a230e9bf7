import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { systemClock } from '../../../../core/async';
import type { AwsClients } from '../../../../core/aws/clients';
import type { Weights } from '../../../../shift/engine';
import { normalizedRecordName } from '../../../../shift/routers';
import type { RecordType } from '../../../../shift/routers';
import { slotWeights } from '../live-splits';
import { known } from '../split-kind';
import type { HookedResource, SplitChange, SplitEvent, SplitKind } from '../split-kind';
import type { WeightsByArn } from '../weights';
import { bareZone, withMissingRecords, liveRecords, recordSets, recordsId, recordsOf } from './live-records';

/** What is due to happen to a record. The provider writes all of a record, whatever has changed of it. */
export async function recordChange(resource: HookedResource): Promise<SplitChange> {
  const { oldInputs = {}, newInputs = {}, oldOutputs = {} } = resource;
  const identifier = String(await known(newInputs.setIdentifier));
  const before = weightIn(
    await known(oldInputs.weightedRoutingPolicies ?? oldOutputs.weightedRoutingPolicies),
  );
  const after = weightIn(await known(newInputs.weightedRoutingPolicies));
  return {
    writesWeights: true,
    before: new Map(before === undefined ? [] : [[identifier, before]]),
    after: after === undefined ? [] : [{ arn: identifier, weight: after }],
  };
}

/**
 * Why the provider must not write a record now: its weight would not be the live one although nobody shifts, or it would
 * take the place of a record that points elsewhere.
 */
export async function recordRefusal(
  deed: SplitEvent,
  resource: HookedResource,
  clients: AwsClients,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { zoneId, name, type, setIdentifier, weightedRoutingPolicies } = resource.newInputs ?? {};
  const [zone, wanted] = [await known(zoneId), weightIn(await known(weightedRoutingPolicies)) ?? 0];
  const [own, kind] = [String(await known(setIdentifier)), String(type)];
  const sets = await recordSets(clients, bareZone(String(zone)), String(name), [kind], systemClock, signal);
  const live = sets.find(({ SetIdentifier }) => SetIdentifier === own);
  const words = `the ${kind} record ${own} of ${String(name)}`;
  if (live && deed !== 'updateByOthers' && !pointsThere(live, resource.newInputs ?? {})) {
    return (
      `${words} is there already and points to ${pointsTo(live).join(', ')}: it would be overwritten. ` +
      'Adopt it, delete it, or choose another set identifier.'
    );
  }
  if (deed === 'create' || (sets.length === 0 && deed === 'createByOthers')) {
    return undefined;
  }
  const weight = live?.Weight ?? 0;
  if (weight === wanted) {
    return undefined;
  }
  return deed === 'createByOthers'
    ? `${words} would be made with the weight ${wanted}, and traffic moved at once. Let the slot come with the weight 0 first; ` +
        'then shift.'
    : `${words} has the weight ${weight}, and an update would write ${wanted}, which Pulumi's state has: ` +
        'pulumi up --refresh takes the live weight into the state first.';
}

function weightIn(policies: unknown): number | undefined {
  const weight: unknown = Array.isArray(policies)
    ? (policies[0] as { weight?: unknown } | undefined)?.weight
    : undefined;
  return typeof weight === 'number' ? weight : undefined;
}

function pointsThere(
  live: ResourceRecordSet,
  { aliases, records }: Readonly<Record<string, unknown>>,
): boolean {
  const alias = Array.isArray(aliases) ? (aliases[0] as { name?: unknown } | undefined)?.name : undefined;
  const wanted = typeof alias === 'string' ? [alias] : Array.isArray(records) ? records.map(String) : [];
  return JSON.stringify(wanted.map(normalizedRecordName).sort()) === JSON.stringify(pointsTo(live).sort());
}

function pointsTo({ AliasTarget, ResourceRecords = [] }: ResourceRecordSet): string[] {
  const values = AliasTarget ? [AliasTarget.DNSName ?? ''] : ResourceRecords.map(({ Value = '' }) => Value);
  return values.map(normalizedRecordName);
}

/**
 * Weighted records of Route 53: `aws.route53.Record`, one for each slot and type. The records of one name are one rule.
 *
 * @param names of the records that are shifted together, each a rule
 * @param types whose records have the same weights
 */
export function weightedRecords(names: readonly string[], types: readonly RecordType[]): SplitKind {
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
    routerAt: () => 'route53',
    router: ({ id, types: there = types }, { region, roleArn }) => {
      const { zone, name } = recordsOf(id);
      return {
        route53: {
          hostedZoneId: zone,
          recordName: name,
          recordType: there,
          ...(region !== undefined && { region }),
          ...(roleArn !== undefined && { roleArn }),
        },
      };
    },
    entering: (router, rule, wanted, clients) =>
      withMissingRecords(router, rule, wanted, clients, systemClock),
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
