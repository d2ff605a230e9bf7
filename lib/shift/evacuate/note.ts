import { isDeepStrictEqual } from 'node:util';
import { NewerLease } from '../engine';
import type { Lease, ShiftRecord } from '../engine';
import { evacuationRecord } from './decision';
import type { EvacuationChange } from './decision';
import type { LeaseCalls } from './patience';

/** Two evacuations at once, of two slots: each is noted in the end. */
const mostWriters = 5;

/**
 * Takes the lease away from a shift that runs, and leaves what happened. An evacuation of another slot that was noted at the
 * same time stays, and so does what a shift has raised until then: the next one gives it back.
 *
 * @returns slots that were evacuated before, and are not noted any more: they have traffic
 * @throws NewerLease, or what the lease throws
 */
export async function noteEvacuation(
  lease: Lease,
  slots: readonly string[],
  change: EvacuationChange,
  leases: LeaseCalls,
): Promise<readonly string[]> {
  const found = await recordOf(lease, leases);
  let record = evacuationRecord(found, slots, change);
  const earlier = [...(found?.evacuated?.slots ?? [])];
  for (let writers = 1; ; writers += 1) {
    const left = record;
    const over = await leases.ask((signal) => lease.seize(left, signal));
    earlier.push(...(over?.evacuated?.slots ?? []));
    const merged = evacuationRecord(over, left.evacuated!.slots, change);
    const isWhole =
      merged.evacuated!.slots.length === left.evacuated!.slots.length &&
      (over?.raised === undefined || isDeepStrictEqual(over.raised, left.raised));
    if (isWhole || writers === mostWriters) {
      return earlier.filter((slot) => !left.evacuated!.slots.includes(slot));
    }
    record = { ...left, evacuated: merged.evacuated!, ...(over?.raised && { raised: over.raised }) };
  }
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
