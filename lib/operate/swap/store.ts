import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { number, text } from '../../core/validation/values';
import type { SwapRecord } from './record';

/** What a store holds. */
export interface SwapContent {
  /** The newest record of the fleet's swaps, whether it has ended or not. @default - there is none */
  readonly record?: SwapRecord;
  /** Why what is stored there is no record, for a person. @default - it is one, or there is none */
  readonly problem?: string;
}

/** A store as it is, for who only looks. */
export interface SwapLook extends SwapContent {
  /** Who holds it now. @default - no one */
  readonly holder?: string;
  /** When it expires, in milliseconds since 1970, unless its holder keeps it. @default - no one holds it */
  readonly expiresAt?: number;
}

/** One swap of a fleet at a time, and the record of it. */
export interface SwapStore {
  /** What it is, for logs and errors: `SSM parameter /cluster-canary/…`. */
  readonly name: string;

  /** How long it lasts without being kept, in milliseconds. @default - long enough to be kept once a minute */
  readonly durationMs?: number;

  /**
   * Takes the lease, and answers what it holds. Its holder may take it again: it lasts longer then.
   *
   * @throws LeaseTaken where another process holds it and it has not expired
   * @throws NewerLease where a newer release wrote it
   */
  acquire(signal: AbortSignal): Promise<SwapContent>;

  /** Answers what it holds, and writes nothing. */
  look(signal: AbortSignal): Promise<SwapLook>;

  /**
   * Writes the record and makes the lease last longer.
   *
   * @throws LeaseTaken where another process has taken it over since
   */
  keep(record: SwapRecord, signal: AbortSignal): Promise<void>;

  /**
   * Gives the lease back, and leaves this record for the next run; without one, what is stored stays. A lease that another
   * process has taken over since stays as it is.
   */
  release(record: SwapRecord | undefined, signal: AbortSignal): Promise<void>;
}

/** What stores of one process share. Starts empty: `{}`. */
export interface SwapMemory {
  /** Name of the holder. @default - no one holds it */
  holder?: string;
  /** When it expires, in milliseconds since 1970. */
  expiresAt?: number;
  /** The newest record. */
  record?: SwapRecord;
}

/** What {@link memorySwapStore} takes. */
export interface MemorySwapStore {
  /** What it shares with other stores. @default - its own */
  readonly memory?: SwapMemory;
  /** Who takes it. @default 'this process' */
  readonly holder?: string;
  /** How long it lasts without being kept, in milliseconds. @default 300000 */
  readonly lastsMs?: number;
  /** The clock by which it expires. @default systemClock */
  readonly clock?: Clock;
}

const memoryOptions = object<MemorySwapStore>({
  memory: optional(
    object<SwapMemory>({
      holder: optional(text('the name of a holder')),
      expiresAt: optional(number('milliseconds since 1970')),
      record: optional(opaque('the record of a swap')),
    }),
  ),
  holder: optional(text('the name of a holder')),
  lastsMs: optional(number('a number of milliseconds above 0', { above: 0 })),
  clock: optional(opaque('a clock')),
});

/**
 * A store in this process's memory, for tests: nothing outside of the process sees it.
 *
 * @throws InvalidInput with every problem of the options
 */
export function memorySwapStore(options: MemorySwapStore = {}): SwapStore {
  refuseArguments('memorySwapStore', memoryOptions, options);
  const { memory = {}, holder = 'this process', lastsMs = 300_000, clock = systemClock } = options;
  const refuse = async (other: string, until: number): Promise<never> => {
    // The engine of shifts is loaded where its error is needed.
    const { LeaseTaken } = await import('../../shift/engine');
    const text = `${other} swaps this fleet, until ${new Date(until).toISOString()} at least.`;
    throw new LeaseTaken(text, other, until);
  };
  const taken = async <Answer>(work: () => Answer): Promise<Answer> => {
    const { holder: other, expiresAt = 0 } = memory;
    if (other !== undefined && other !== holder && expiresAt > clock.now()) {
      await refuse(other, expiresAt);
    }
    Object.assign(memory, { holder, expiresAt: clock.now() + lastsMs });
    return work();
  };
  const content = (): SwapContent => (memory.record ? { record: structuredClone(memory.record) } : {});
  const look = (): SwapLook => {
    const { holder: other, expiresAt = 0 } = memory;
    const isHeld = other !== undefined && expiresAt > clock.now();
    return { ...content(), ...(isHeld && { holder: other, expiresAt }) };
  };
  // What it throws, a promise is rejected with.
  const later = <Answer>(work: () => Answer): Promise<Answer> => Promise.resolve().then(work);
  return {
    name: 'lease in memory',
    durationMs: lastsMs,
    acquire: () => taken(content),
    look: () => later(look),
    keep: async (record) => {
      if (memory.holder !== holder && memory.record !== undefined) {
        // Also where the other one has ended: what this one knows is older than that.
        await refuse(memory.holder ?? 'another process', memory.expiresAt ?? clock.now());
      }
      return taken(() => void (memory.record = structuredClone(record)));
    },
    release: (record) =>
      later(() => {
        if (memory.holder === holder) {
          const { record: stored } = memory;
          Object.assign(memory, { holder: undefined, expiresAt: undefined, record: record ?? stored });
        }
      }),
  };
}
