import type { AwsClients } from '../../../core/aws/clients';
import { openLeaseOf } from '../../../shift/leases';
import type { LeaseSettings, OpenLease } from '../../../shift/leases';
import type { SwapRecord } from '../record';
import { boundedRecord, swapRecords } from '../record-schema';

/** Which fleet is swapped: another one of the same name may be in another region. */
export interface SwappedFleet {
  /** Name of the fleet. */
  readonly fleet: string;
  /** Region of its clusters. */
  readonly region: string;
}

/** What the lease of a fleet's swaps is named after. */
export function swapLeaseId({ fleet, region }: SwappedFleet): string {
  return `swap/${region}/${fleet}`;
}

/**
 * Lets one swap of a fleet run at a time, and keeps its record: with the leases of shifts.
 *
 * @example
 * const { lease, close } = await swapStore({ ssm: {} }, { fleet: 'apps', region: 'eu-west-1' }, clients);
 *
 * @param clients of the fleet's region, for a lease in the same region
 * @param holder who takes it, where that is not another for every run
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export async function swapStore(
  settings: LeaseSettings,
  fleet: SwappedFleet,
  clients: AwsClients | undefined,
  holder?: string,
): Promise<OpenLease<SwapRecord>> {
  const held = await openLeaseOf(swapRecords, settings, swapLeaseId(fleet), clients, holder);
  const { lease } = held;
  return {
    lease: {
      name: lease.name,
      ...(lease.durationMs !== undefined && { durationMs: lease.durationMs }),
      acquire: (signal) => lease.acquire(signal),
      look: (signal) => lease.look(signal),
      keep: (record, signal) => lease.keep(boundedRecord(record), signal),
      release: (record, signal) => lease.release(record && boundedRecord(record), signal),
      seize: (record, signal) => lease.seize(boundedRecord(record), signal),
    },
    close: () => held.close(),
  };
}
