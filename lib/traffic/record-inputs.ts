import type * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { RecordType } from '../routers';
import type { FleetRecordsArgs, RecordTarget } from './fleet-records-arguments';
import { bareZone } from './shift/records-id';
import type { SlotRecord } from './shift/slot-record';

/** An alias to a load balancer with IPv4 addresses is of this type. */
export const defaultTypes: readonly RecordType[] = ['A'];

const defaultTtl = 60;

/** Set identifier of each slot. */
export function setIdentifiersOf(
  prefix: string,
  targets: Readonly<Record<string, RecordTarget>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(targets).map(([slot, { setIdentifier }]) => [slot, setIdentifier ?? `${prefix}-${slot}`]),
  );
}

/**
 * What a record that exists is imported by.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/route53/record/#import
 */
export function recordImport(zone: string, name: string, type: RecordType, setIdentifier: string): string {
  return [bareZone(zone), name, type, setIdentifier].join('_');
}

/** What a record says beside its weight, as AWS's provider takes it. */
export function recordInputs(
  { alias, values = {}, healthCheckId }: RecordTarget,
  type: RecordType,
  ttlSeconds = defaultTtl,
): Pick<aws.route53.RecordArgs, 'aliases' | 'records' | 'ttl' | 'healthCheckId'> {
  const says = alias
    ? { aliases: [{ ...alias, evaluateTargetHealth: alias.evaluateTargetHealth ?? false }] }
    : { records: [...(values[type] ?? [])], ttl: ttlSeconds };
  return { ...says, ...(healthCheckId !== undefined && { healthCheckId }) };
}

/** What the records of all slots say, once it is known of all: the first that is changed has to know it of all. */
export function slotRecords({
  targets,
  ttlSeconds = defaultTtl,
}: FleetRecordsArgs): pulumi.Output<Record<string, SlotRecord>> {
  const plain = Object.entries(targets).map(([slot, { alias, values, healthCheckId }]) => [
    slot,
    {
      ...(alias && { alias: { ...alias, evaluateTargetHealth: alias.evaluateTargetHealth ?? false } }),
      ...(values && { values, ttl: ttlSeconds }),
      ...(healthCheckId !== undefined && { healthCheckId }),
    },
  ]);
  return pulumi.output(Object.fromEntries(plain)) as pulumi.Output<Record<string, SlotRecord>>;
}
