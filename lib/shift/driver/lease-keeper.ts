import type { Clock } from '../clock';
import type { Lease, LeaseContent, ShiftEndRecord, ShiftRecord } from '../lease';
import { LeaseTaken } from '../lease';
import type { ShiftEvent } from '../machine/events';
import type { Interruption } from './interruption';
import { textOf } from './text-of';
import { within } from './within';

/** A lease that hangs must not keep traffic where it is. */
const timeoutMs = 10_000;
const pressedTimeoutMs = 500;

/** A lease lasts for minutes, and a call a minute costs nothing. One that is shorter is kept three times as it lasts. */
const keepEveryMs = 60_000;
const keepsPerDuration = 3;

/** Takes the lease, keeps it and gives it back. */
export class LeaseKeeper {
  private holds = false;
  private keptAt: number;
  private lastRecord: ShiftRecord | undefined;
  private found: ShiftRecord | undefined;
  private keeping: Promise<ShiftEvent | undefined> | undefined;

  public constructor(
    private readonly lease: Lease,
    private readonly clock: Clock,
    private readonly interruption: Interruption,
  ) {
    this.keptAt = clock.now();
  }

  /** When the lease is to be made longer. */
  public get dueAt(): number {
    const { durationMs = Infinity } = this.lease;
    return this.keptAt + Math.min(keepEveryMs, durationMs / keepsPerDuration);
  }

  /** @returns `undefined` where it was cut short */
  public async acquire(): Promise<{ readonly content: LeaseContent } | ShiftEvent | undefined> {
    try {
      const taken = await this.interruption.during(false, (signal) =>
        within(undefined, signal, async (own) => ({ content: await this.lease.acquire(own) })),
      );
      this.holds = taken !== undefined;
      this.found = taken?.content.record;
      this.keptAt = this.clock.now();
      return taken;
    } catch (error) {
      return this.failed(error, `The lease ${this.lease.name} could not be taken`);
    }
  }

  public async record(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    await this.settle();
    return this.put(record, (call) => this.interruption.during(true, call));
  }

  /**
   * Makes the lease last longer, with the last record, or with this one where there was none yet. That goes on beside
   * other calls.
   */
  public keepOn(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    this.keeping = this.put(this.lastRecord ?? record, (call) => call(this.interruption.killSignal));
    return this.keeping;
  }

  /** Waits until it is kept: a record must not be overwritten by the one before it. */
  public async settle(): Promise<void> {
    await this.keeping;
  }

  /**
   * Gives the lease back. A record that has ended is marked; one that a run neither wrote nor went on with stays.
   *
   * @param ended how it ended; where nothing of it is left to do
   * @param startedAt when the shift began that this run was about; unset where it ended before that was known
   * @returns what went wrong, if anything did
   */
  public async release(ended: ShiftEndRecord | undefined, startedAt?: number): Promise<string | undefined> {
    if (!this.holds) {
      return undefined;
    }
    const { isPressed, killed, killSignal } = this.interruption;
    const adopted = startedAt === undefined || startedAt === this.found?.startedAt ? this.found : undefined;
    const record = this.lastRecord ?? (adopted?.ended ? undefined : adopted);
    const left = record && (ended ? { ...record, ended } : record);
    try {
      await within(isPressed ? pressedTimeoutMs : timeoutMs, killed ? undefined : killSignal, (own) =>
        this.lease.release(left, own),
      );
      return undefined;
    } catch (error) {
      const what = ended && record ? 'could not be marked as ended' : 'could not be given back';
      return `The lease ${this.lease.name} ${what}: ${textOf(error)}`;
    }
  }

  private async put(
    record: ShiftRecord,
    during: (
      call: (signal: AbortSignal) => Promise<ShiftEvent | undefined>,
    ) => Promise<ShiftEvent | undefined>,
  ): Promise<ShiftEvent | undefined> {
    this.lastRecord = record;
    this.keptAt = this.clock.now();
    try {
      return await during((signal) =>
        within(timeoutMs, signal, async (own) => {
          await this.lease.keep(record, own);
          return { type: 'recorded', at: this.clock.now() } as const;
        }),
      );
    } catch (error) {
      return error instanceof LeaseTaken
        ? this.failed(error, '')
        : { type: 'recordFailed', at: this.clock.now(), message: `${this.lease.name}: ${textOf(error)}` };
    }
  }

  private failed(error: unknown, what: string): ShiftEvent {
    this.holds = false;
    const message = error instanceof LeaseTaken ? error.message : `${what}: ${textOf(error)}`;
    return { type: 'leaseTaken', at: this.clock.now(), message };
  }
}
