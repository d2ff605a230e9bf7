import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { number, text } from '../../core/validation/values';
import { LeaseTaken, shiftRecord } from '../engine';
import type { Lease, LeaseContent, ShiftRecord } from '../engine';
import { leaseSeized } from './document';
import type { RecordKind } from './record-kind';
import { shiftRecords } from './shift-records';

/** What leases of one process share: who holds it, until when, and the record. Starts empty: `{}`. */
export interface LeaseMemory<R = ShiftRecord> {
  /** Name of the holder. Nobody holds it where unset. */
  holder?: string;
  /** Milliseconds since 1970. */
  expiresAt?: number;
  /** The record of the newest shift. */
  record?: R;
}

/** What `memoryLease` takes. */
export interface MemoryLeaseOptions<R = ShiftRecord> {
  /** What it shares with other leases. @default - its own */
  readonly memory?: LeaseMemory<R>;
  /** Who takes it. @default 'this process' */
  readonly holder?: string;
  /** How long it lasts without being kept, in milliseconds. @default 300000 */
  readonly lastsMs?: number;
  /**
   * The clock by which it expires.
   * @default systemClock
   */
  readonly clock?: Clock;
}

const holderName = text('the name of a holder');

const memoryLeaseOptions = object<MemoryLeaseOptions>({
  memory: optional(
    object<LeaseMemory>({
      holder: optional(holderName),
      expiresAt: optional(number('milliseconds since 1970')),
      record: optional(shiftRecord),
    }),
  ),
  holder: optional(holderName),
  lastsMs: optional(number('a number of milliseconds above 0', { above: 0 })),
  clock: optional(opaque('a clock')),
});

/** A lease in this process's memory, for tests and simulations: nobody else sees it. */
export function memoryLease(options: MemoryLeaseOptions = {}): Lease {
  refuseArguments('memoryLease', memoryLeaseOptions, options);
  return memoryLeaseOf(shiftRecords, options);
}

/** The same lease for records of another kind. */
export function memoryLeaseOf<R extends object>(
  kind: RecordKind<R>,
  options: MemoryLeaseOptions<R> = {},
): Lease<R> {
  const { memory = {}, holder = 'this process', lastsMs = 300_000, clock = systemClock } = options;
  const refuse = (): LeaseTaken | undefined => {
    const { holder: other, expiresAt = 0 } = memory;
    return other !== undefined && other !== holder && expiresAt > clock.now()
      ? new LeaseTaken(
          `${other} runs a ${kind.of} here until ${new Date(expiresAt).toISOString()} at least.`,
          other,
          expiresAt,
        )
      : undefined;
  };
  const seized = (): LeaseTaken | undefined =>
    memory.holder === holder ? undefined : leaseSeized(kind, 'lease in memory', memory.record);
  const take = (): void => {
    memory.holder = holder;
    memory.expiresAt = clock.now() + lastsMs;
  };
  const content = (): LeaseContent<R> => (memory.record ? { record: memory.record } : {});
  return {
    name: 'lease in memory',
    durationMs: lastsMs,
    acquire: () => {
      const refusal = refuse();
      if (refusal) {
        return Promise.reject(refusal);
      }
      take();
      return Promise.resolve(content());
    },
    look: () => {
      const { holder: other, expiresAt = 0 } = memory;
      const isHeld = other !== undefined && expiresAt > clock.now();
      return Promise.resolve({ ...content(), ...(isHeld && { holder: other, expiresAt }) });
    },
    keep: (record) => {
      const refusal = refuse() ?? seized();
      if (refusal) {
        return Promise.reject(refusal);
      }
      take();
      memory.record = record;
      return Promise.resolve();
    },
    release: (record) => {
      if (memory.holder === holder) {
        memory.holder = undefined;
        memory.expiresAt = undefined;
        memory.record = record ?? memory.record;
      }
      return Promise.resolve();
    },
    seize: (record) => {
      const { record: over } = memory;
      Object.assign(memory, { holder: undefined, expiresAt: undefined, record });
      return Promise.resolve(over);
    },
  };
}

/**
 * No lease at all: nothing keeps a second shift from starting, and a run after a kill knows no origin. What is still
 * safe without it: each looks at the live weights before it writes, and stops when they are not its own.
 */
export function noLease(): Lease {
  return noLeaseOf();
}

/** The same for records of another kind. */
export function noLeaseOf<R>(): Lease<R> {
  return {
    name: 'no lease',
    acquire: () => Promise.resolve({}),
    look: () => Promise.resolve({}),
    keep: () => Promise.resolve(),
    release: () => Promise.resolve(),
    seize: () => Promise.resolve(undefined),
  };
}
