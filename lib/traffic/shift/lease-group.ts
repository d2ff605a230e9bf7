import type { Lease, LeaseContent, LeaseLook, ShiftRecord } from '../../shift';

/**
 * The leases of rules that one shift moves together, as one: all are taken or none, and each has the record. The first one's
 * record is the newest, since it is written first and marked as ended last; a rule that joined the others later has none.
 *
 * @param leases in an order that is the same for everybody who may want some of them
 */
export function leaseGroup(leases: readonly Lease[]): Lease {
  const [only, ...others] = leases;
  return only !== undefined && others.length === 0 ? only : new LeaseGroup(leases);
}

class LeaseGroup implements Lease {
  public readonly name: string;
  public readonly durationMs: number;

  public constructor(private readonly leases: readonly Lease[]) {
    this.name = leases.map(({ name }) => name).join(', ');
    this.durationMs = Math.min(...leases.map(({ durationMs = Infinity }) => durationMs));
  }

  public async acquire(signal?: AbortSignal): Promise<LeaseContent> {
    const taken: Lease[] = [];
    const found: LeaseContent[] = [];
    for (const lease of this.leases) {
      try {
        found.push(await lease.acquire(signal));
        taken.push(lease);
      } catch (error) {
        // Those that were taken are given back; one that can't be expires.
        await releaseAll(taken, undefined, signal).catch(() => undefined);
        throw error;
      }
    }
    return newestOf(found);
  }

  public async look(signal?: AbortSignal): Promise<LeaseLook> {
    const looks = await Promise.all(this.leases.map((lease) => lease.look(signal)));
    const { holder, expiresAt } = looks.find((look) => look.holder !== undefined) ?? {};
    return { ...newestOf(looks), ...(holder !== undefined && { holder, expiresAt }) };
  }

  public async keep(record: ShiftRecord, signal?: AbortSignal): Promise<void> {
    for (const lease of this.leases) {
      await lease.keep(record, signal);
    }
  }

  public release(record?: ShiftRecord, signal?: AbortSignal): Promise<void> {
    return releaseAll(this.leases, record, signal);
  }
}

/**
 * What the members hold, as one: the record of the shift that began last. Where only some members have the mark that it has
 * ended, it goes on, and ends anew.
 */
function newestOf(found: readonly LeaseContent[]): LeaseContent {
  let newest: ShiftRecord | undefined;
  for (const { record } of found) {
    const later = record && (!newest || record.startedAt > newest.startedAt);
    const unfinished = record?.startedAt === newest?.startedAt && newest?.ended && !record?.ended;
    newest = later || unfinished ? record : newest;
  }
  const problem = found.find((each) => each.problem !== undefined)?.problem;
  return { ...(newest && { record: newest }), ...(problem !== undefined && { problem }) };
}

/** The last first. One that can't be given back is no reason to keep the others; the first error is thrown then. */
async function releaseAll(
  leases: readonly Lease[],
  record: ShiftRecord | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const lease of [...leases].reverse()) {
    await lease.release(record, signal).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) {
    throw errors[0];
  }
}
