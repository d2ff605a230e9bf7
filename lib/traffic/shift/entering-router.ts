import type { Change, ResourceRecordSet, RRType } from '@aws-sdk/client-route-53';
import type { AwsClients } from '../../aws';
import type { AwsRouter } from '../../routers';
import { RecordZone, routerError } from '../../routers';
import type { Clock, Router } from '../../shift';
import { recordsOf } from './records-id';
import type { LiveRule } from './live-rules';
import type { WantedRule } from './wanted-rule';
import type { SlotRecord } from './slot-record';

/**
 * The same router, whose first look makes the records of slots that have none yet, with weight 0: a record that the provider
 * makes has its wanted weight at once. The provider finds them there, and writes what stands there already.
 */
export function enteringRouter(
  router: AwsRouter,
  { id, types = [] }: LiveRule,
  { targets, records = {} }: WantedRule,
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
      if (!hasEntered) {
        await enter(signal);
        hasEntered = true;
      }
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
