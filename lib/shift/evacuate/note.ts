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
    const noted = left.evacuated!.slots;
    const merged = evacuationRecord(over, noted, change);
    const isWhole =
      change.raised === undefined
        ? merged.evacuated!.slots.length === noted.length &&
          (over?.raised === undefined || isDeepStrictEqual(over.raised, left.raised))
        : over === undefined || isDeepStrictEqual(over, found);
    if (isWhole || writers === mostWriters) {
      return earlier.filter((slot) => !noted.includes(slot));
    }
    record =
      change.raised === undefined
        ? { ...left, evacuated: merged.evacuated!, ...(over?.raised && { raised: over.raised }) }
        : merged;
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
