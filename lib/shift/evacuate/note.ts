import { NewerLease } from '../engine';
import type { Lease, ShiftRecord } from '../engine';
import { evacuationRecord } from './decision';
import type { EvacuationChange } from './decision';
import type { LeaseCalls } from './patience';

/** Two evacuations at once, of two slots: each is noted in the end. */
const mostWriters = 5;

/**
 * Takes the lease away from a shift that runs, and leaves what happened. An evacuation of another slot that was noted at the
 * same time stays.
 *
 * @throws NewerLease, or what the lease throws
 */
export async function noteEvacuation(
  lease: Lease,
  slot: string,
  change: EvacuationChange,
  leases: LeaseCalls,
): Promise<void> {
  let record = evacuationRecord(await recordOf(lease, leases), slot, change);
  for (let writers = 1; ; writers += 1) {
    const left = record;
    const over = await leases.ask((signal) => lease.seize(left, signal));
    const merged = withSlotsOf(left, over, change);
    if (merged === left || writers === mostWriters) {
      return;
    }
    record = merged;
  }
}

/** A record with what another evacuation has noted, but for slots that have traffic now. */
function withSlotsOf(
  record: ShiftRecord,
  over: ShiftRecord | undefined,
  { after }: EvacuationChange,
): ShiftRecord {
  const { slots = [], by = '' } = record.evacuated ?? {};
  const others = (over?.evacuated?.slots ?? []).filter(
    (each) => !slots.includes(each) && (after?.[each] ?? 0) === 0,
  );
  return others.length === 0 ? record : { ...record, evacuated: { slots: [...others, ...slots], by } };
}

/**
 * What a lease holds; nothing where it can't be read. What may pass is tried again: the record has earlier evacuations.
 *
 * @throws NewerLease
 */
async function recordOf(lease: Lease, leases: LeaseCalls): Promise<ShiftRecord | undefined> {
  try {
    return (await leases.ask((signal) => lease.look(signal))).record;
  } catch (error) {
    if (error instanceof NewerLease) {
      throw error;
    }
    return undefined;
  }
}
