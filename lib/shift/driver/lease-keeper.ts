import type { Clock } from '../clock';
import type { Lease, ShiftRecord } from '../lease';
import { LeaseTaken } from '../lease';
import type { ShiftEvent } from '../machine/events';
import type { Interruption } from './interruption';
import { textOf } from './text-of';
import { within } from './within';

/** A lease that hangs must not keep traffic where it is. */
const timeoutMs = 10_000;
const pressedTimeoutMs = 500;

/** A lease lasts for minutes, and a call a minute costs nothing. */
const keepEveryMs = 60_000;

/** Takes the lease, keeps it and gives it back. */
export class LeaseKeeper {
  private holds = false;
  private keptAt: number;
  private lastRecord: ShiftRecord | undefined;

  public constructor(
    private readonly lease: Lease,
    private readonly clock: Clock,
    private readonly interruption: Interruption,
  ) {
    this.keptAt = clock.now();
  }

  /** When the lease is to be made longer. */
  public get dueAt(): number {
    return this.keptAt + keepEveryMs;
  }

  /** @returns `undefined` where it was cut short */
  public async acquire(): Promise<{ readonly record: ShiftRecord | undefined } | ShiftEvent | undefined> {
    try {
      const taken = await this.interruption.during(false, (signal) =>
        within(undefined, signal, async (own) => ({ record: await this.lease.acquire(own) })),
      );
      this.holds = taken !== undefined;
      this.keptAt = this.clock.now();
      return taken;
    } catch (error) {
      return this.failed(error, `The lease ${this.lease.name} could not be taken`);
    }
  }

  public async record(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    this.lastRecord = record;
    this.keptAt = this.clock.now();
    try {
      return await this.interruption.during(true, (signal) =>
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

  /** Makes the lease last longer, with the last record, or with this one where there was none yet. */
  public keepOn(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    return this.record(this.lastRecord ?? record);
  }

  /** @returns what went wrong, if anything did */
  public async release(finished: boolean): Promise<string | undefined> {
    if (!this.holds) {
      return undefined;
    }
    const { isPressed, killed, killSignal } = this.interruption;
    try {
      await within(isPressed ? pressedTimeoutMs : timeoutMs, killed ? undefined : killSignal, (own) =>
        this.lease.release(finished, own),
      );
      return undefined;
    } catch (error) {
      return `The lease ${this.lease.name} could not be given back: ${textOf(error)}`;
    }
  }

  private failed(error: unknown, what: string): ShiftEvent {
    this.holds = false;
    const message = error instanceof LeaseTaken ? error.message : `${what}: ${textOf(error)}`;
    return { type: 'leaseTaken', at: this.clock.now(), message };
  }
}
