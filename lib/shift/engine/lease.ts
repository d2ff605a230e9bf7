import { oneLine } from '../../core/printable-text';
import { list, object, optional, record } from '../../core/validation/collections';
import { flag, number, oneOf, orNull, text, whole } from '../../core/validation/values';
import { capacityRecord, giveBackRaised } from './capacity';
import type { Capacity, CapacityRecord } from './capacity';
import type { CheckBaseline } from './check';
import type { Verdict } from './outcome';
import type { Weights } from './weights';

/**
 * What a shift has to remember while it runs, beside the weights themselves: without it a run that goes on after a kill
 * could not know where to roll back to.
 */
export interface ShiftRecord {
  /** Weights that were live before the shift began. */
  readonly origin: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** Weights that were written last, or were about to be. */
  readonly written: Weights;
  /**
   * What was live, or may have been live, when that write was announced: a run that was killed just before it finds these. More
   * than one after a write whose fate is not known.
   */
  readonly before?: readonly Weights[];
  /** When the shift began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Set once it has decided to roll back, to `written`: a run that goes on finishes that. */
  readonly rollingBack?: boolean;
  /** Set once nothing of it is left to do. Such a record is history: the next run starts from the live weights. */
  readonly ended?: ShiftEndRecord;
  /**
   * Set where slots were evacuated: no shift gives these slots traffic until one that wants them to have none
   * is complete, or until the record is forgotten.
   */
  readonly evacuated?: EvacuationRecord;
  /** What checks measured before the first write, by the check's name. @default - nothing */
  readonly baselines?: Readonly<Record<string, CheckBaseline>>;
  /** Who has asked it to hold: a run that goes on waits for a person before its next step. @default - no one has */
  readonly heldBy?: string;
  /** Pauses that a person has let it go beyond. @default - none */
  readonly approvals?: readonly ShiftApproval[];
  /** Capacity that the shift has raised and has not given back. @default - none */
  readonly raised?: CapacityRecord;
}

/** That a person has let a shift go beyond a pause. */
export interface ShiftApproval {
  /** Place of the pause, in percent of the way. */
  readonly place: number;
  /** Who, and how, on one line: `alex by the page`. */
  readonly by: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** Slots whose traffic was taken away at once. */
export interface EvacuationRecord {
  /** Names of the slots. */
  readonly slots: readonly string[];
  /** Who did it: user and machine. */
  readonly by: string;
}

/** How a recorded shift ended. */
export interface ShiftEndRecord {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** The verdict; `forgotten` for a record that was given up by `--forget`, `evacuated` where a slot was evacuated. */
  readonly verdict: Verdict | 'forgotten' | 'evacuated';
  /** Weights that were live then; `null` where they could not be read. */
  readonly live: Weights | null;
}

const weights = record(whole(0, 100));

const time = number('milliseconds since 1970');

/** A record that a program keeps itself. */
export const shiftRecord = object<ShiftRecord>({
  origin: weights,
  wanted: weights,
  written: weights,
  before: optional(list(weights)),
  startedAt: time,
  rollingBack: optional(flag),
  ended: optional(
    object<ShiftEndRecord>({
      at: time,
      verdict: oneOf('completed', 'rolledBack', 'held', 'aborted', 'forgotten', 'evacuated'),
      live: orNull<Weights | null>(weights),
    }),
  ),
  evacuated: optional(
    object<EvacuationRecord>({ slots: list(text('the name of a slot')), by: text('a text') }),
  ),
  baselines: optional(record(record(number('a number')))),
  heldBy: optional(text('a text')),
  approvals: optional(
    list(object<ShiftApproval>({ place: number('percent'), by: text('a text'), at: time })),
  ),
  raised: optional(capacityRecord),
});

/** What a lease holds beside its holder. */
export interface LeaseContent<R = ShiftRecord> {
  /** The newest record, of a shift that is unfinished or has ended. @default - none */
  readonly record?: R;
  /** Why what is stored there is no record, for a person. @default - it is one, or there is none */
  readonly problem?: string;
}

/** A lease as it is, for who only looks. */
export interface LeaseLook<R = ShiftRecord> extends LeaseContent<R> {
  /** Who holds it now. @default - no one */
  readonly holder?: string;
  /** When it expires, in milliseconds since 1970, unless its holder keeps it. @default - no one holds it */
  readonly expiresAt?: number;
}

/**
 * One shift at a time on one rule, and the record of it. The lease is advisory: who holds it does not have to ask it
 * before a write, since every write comes after a read of the live weights.
 */
export interface Lease<R = ShiftRecord> {
  /** What it is, for logs and errors: `SSM parameter /cluster-canary/…`. */
  readonly name: string;

  /** How long it lasts without being kept, in milliseconds. @default - long enough to be kept once a minute */
  readonly durationMs?: number;

  /**
   * Takes the lease, and answers what it holds.
   *
   * @throws LeaseTaken where another process holds it and it has not expired
   * @throws NewerLease where a newer release wrote it
   */
  acquire(signal?: AbortSignal): Promise<LeaseContent<R>>;

  /**
   * Answers what it holds, and writes nothing.
   *
   * @throws NewerLease where a newer release wrote it
   */
  look(signal?: AbortSignal): Promise<LeaseLook<R>>;

  /**
   * Writes the record and makes the lease last longer.
   *
   * @throws LeaseTaken where another process has taken it over since
   */
  keep(record: R, signal?: AbortSignal): Promise<void>;

  /**
   * Gives the lease back, and leaves this record for the next run; without one, what is stored stays. A lease that
   * another process has taken over since stays as it is.
   */
  release(record?: R, signal?: AbortSignal): Promise<void>;

  /**
   * Takes the lease away from whoever holds it, and leaves this record. A shift that held it ends at its next look at the
   * lease, which comes before each of its writes.
   *
   * @returns the record that it wrote over, where another process may have written that one since the last look
   */
  seize(record: R, signal?: AbortSignal): Promise<R | undefined>;
}

/**
 * Marks the record of an unfinished shift as ended, so that the next run starts from the live weights; the verdict `forgotten`
 * ends an evacuation, too. Gives back capacity that the shift has raised, where that can be done. Writes no weights.
 *
 * @param capacity gives it back; without it, the record still says what was raised
 * @returns the record that was marked; undefined where there was none
 * @throws LeaseTaken where a shift runs
 */
export async function markEnded(
  lease: Lease,
  ended: ShiftEndRecord,
  signal?: AbortSignal,
  capacity?: Pick<Capacity, 'giveBack'>,
): Promise<ShiftRecord | undefined> {
  const { record } = await lease.acquire(signal);
  const endsEvacuation = ended.verdict === 'forgotten';
  const isOpen =
    record && (!record.ended || (record.evacuated && endsEvacuation) || (record.raised && capacity));
  if (!isOpen) {
    await lease.release(undefined, signal);
    return undefined;
  }
  const { raised, ...rest } = endsEvacuation ? withoutEvacuation(record) : record;
  const left =
    raised && capacity ? (await giveBackRaised(capacity, raised, ended.live, signal))?.raised : raised;
  await lease.release({ ...rest, ended: record.ended ?? ended, ...(left && { raised: left }) }, signal);
  return record;
}

/**
 * Lets shifts give a slot traffic again. Evacuations of other slots, and the record of a shift, stay. Writes no weights.
 *
 * @returns whether the slot was evacuated
 * @throws LeaseTaken where a shift runs
 */
export async function forgetEvacuation(lease: Lease, slot: string, signal?: AbortSignal): Promise<boolean> {
  const { record: found } = await lease.look(signal);
  if (found?.evacuated?.slots.includes(slot) !== true) {
    return false;
  }
  const { record = found } = await lease.acquire(signal);
  const slots = record.evacuated?.slots.filter((each) => each !== slot) ?? [];
  const others = record.evacuated && slots.length > 0 && { ...record.evacuated, slots };
  await lease.release({ ...withoutEvacuation(record), ...(others && { evacuated: others }) }, signal);
  return true;
}

/** `slot green was evacuated at 2026-01-01T03:00:00.000Z by alex@laptop` */
export function evacuationText({ evacuated, ended }: ShiftRecord): string {
  const { slots = [], by = '' } = evacuated ?? {};
  const [words, verb] = slots.length === 1 ? ['slot', 'was'] : ['slots', 'were'];
  // The record of a later shift has times of its own.
  const at = ended?.verdict === 'evacuated' ? ` at ${new Date(ended.at).toISOString()}` : '';
  return `${words} ${slots.join(', ')} ${verb} evacuated${at} by ${by}`;
}

/** The record of an evacuation as history: shifts may give its slots traffic again. */
export function withoutEvacuation({ evacuated: _over, ...record }: ShiftRecord): ShiftRecord {
  return record;
}

/** Another process holds the lease. */
export class LeaseTaken extends Error {
  public constructor(
    message: string,
    /** Who holds the lease, as the lease names its holders. */
    public readonly holder: string,
    /** When it expires, in milliseconds since 1970. */
    public readonly expiresAt: number,
  ) {
    super(oneLine(message));
    this.name = 'LeaseTaken';
  }
}

/** The record or the lease has a form that only a newer release reads: to write over it could undo what that one does. */
export class NewerLease extends Error {
  public constructor(lease: string, version: unknown, known: number, what = 'shift') {
    super(
      `${lease}: a newer release of cluster-canary wrote it (schemaVersion ${JSON.stringify(version)}; this release ` +
        `reads up to ${known}). Run the ${what} with that release.`,
    );
    this.name = 'NewerLease';
  }
}
