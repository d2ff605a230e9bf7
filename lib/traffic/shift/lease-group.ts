import type { Lease, ShiftRecord } from '../../shift';

/**
 * The leases of rules that one shift moves together, as one: all are taken or none, and each has the record. The first one's
 * record is the newest, since it is written first and deleted last; a rule that joined the others later has none.
 *
 * @param leases in an order that is the same for everybody who may want some of them
 */
export function leaseGroup(leases: readonly Lease[]): Lease {
  const [only, ...others] = leases;
  return only !== undefined && others.length === 0 ? only : new LeaseGroup(leases);
}

class LeaseGroup implements Lease {
  public readonly name: string;

  public constructor(private readonly leases: readonly Lease[]) {
    this.name = leases.map(({ name }) => name).join(', ');
  }

  public async acquire(signal?: AbortSignal): Promise<ShiftRecord | undefined> {
    const taken: Lease[] = [];
    let found: ShiftRecord | undefined;
    for (const lease of this.leases) {
      try {
        const record = await lease.acquire(signal);
        found ??= record;
        taken.push(lease);
      } catch (error) {
        // Those that were taken are given back; one that can't be expires.
        await releaseAll(taken, false, signal).catch(() => undefined);
        throw error;
      }
    }
    return found;
  }

  public async keep(record: ShiftRecord, signal?: AbortSignal): Promise<void> {
    for (const lease of this.leases) {
      await lease.keep(record, signal);
    }
  }

  public release(finished: boolean, signal?: AbortSignal): Promise<void> {
    return releaseAll(this.leases, finished, signal);
  }
}

/** The last first. One that can't be given back is no reason to keep the others; the first error is thrown then. */
async function releaseAll(leases: readonly Lease[], finished: boolean, signal?: AbortSignal): Promise<void> {
  const errors: unknown[] = [];
  for (const lease of [...leases].reverse()) {
    await lease.release(finished, signal).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) {
    throw errors[0];
  }
}
