import { isDeepStrictEqual } from 'node:util';
import { within } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { errorLine } from '../../../core/validation/problems';
import type { CapacityRecord } from '../capacity';
import { LeaseTaken, withoutEvacuation } from '../lease';
import type { Lease, LeaseContent, ShiftRecord } from '../lease';
import type { ShiftEvent } from '../machine/events';
import type { ShiftEnded } from '../machine/states';
import type { Interruption } from './interruption';

/** A lease that hangs must not keep traffic where it is. */
const timeoutMs = 10_000;

const pressedTimeoutMs = 500;

/** A lease lasts for minutes, and a call a minute costs nothing. One that is shorter is kept three times as it lasts. */
const keepEveryMs = 60_000;

const keepsPerDuration = 3;

/** How often it looks whether that is due. */
const lookEveryMs = 1_000;

/** What else is known of a shift that has ended. */
interface Ending {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** When the shift began, in an earlier run perhaps; unset where it ended before that was known. */
  readonly startedAt: number | undefined;
  /** Whether the record of a complete shift stays unfinished. */
  readonly keepsRecord: boolean;
}

function withoutPersons({ heldBy: _by, approvals: _all, ...record }: ShiftRecord): ShiftRecord {
  return record;
}

/** Takes the lease, keeps it and gives it back. */
export class LeaseKeeper {
  private holds = false;
  private keptAt: number;
  private lastRecord: ShiftRecord | undefined;
  private found: ShiftRecord | undefined;
  private keeping: Promise<ShiftEvent | undefined> | undefined;
  /** One record at a time: an older one must not come after a newer one. */
  private putting: Promise<unknown> = Promise.resolve();
  /** Capacity that was raised and not given back, by an earlier run perhaps. */
  public raised: CapacityRecord | undefined;
  /** What people have said of the shift: it is in every record from then on. */
  public persons: Pick<ShiftRecord, 'heldBy' | 'approvals'> = {};

  public constructor(
    private readonly lease: Lease,
    private readonly clock: Clock,
    private readonly interruption: Interruption,
    /** Hears of a lease that was lost in a call that the shift does not wait for. */
    private readonly onLost: (event: ShiftEvent) => void,
  ) {
    this.keptAt = clock.now();
  }

  /** When the lease is to be made longer. */
  public get dueAt(): number {
    return this.keptAt + this.keepEvery;
  }

  private get keepEvery(): number {
    const { durationMs = Infinity } = this.lease;
    return Math.min(keepEveryMs, durationMs / keepsPerDuration);
  }

  /** @returns `undefined` where it was cut short */
  public async acquire(): Promise<{ readonly content: LeaseContent } | ShiftEvent | undefined> {
    try {
      const taken = await this.interruption.during(false, (signal) =>
        within(undefined, signal, async (own) => ({ content: await this.lease.acquire(own) })),
      );
      // One that was cut short may have been taken all the same.
      this.holds = true;
      this.found = taken?.content.record;
      this.raised = this.found?.raised;
      this.keptAt = this.clock.now();
      return taken;
    } catch (error) {
      return this.failed(error, `The lease ${this.lease.name} could not be taken`);
    }
  }

  /**
   * What people have said of the shift so far.
   *
   * @returns whether that is news, which has to be put on record
   */
  public notePersons(persons: LeaseKeeper['persons']): boolean {
    const isNews = !isDeepStrictEqual(persons, this.persons);
    this.persons = persons;
    return isNews;
  }

  /** Whether an earlier shift raised that, so that its counts are none of this one's. */
  public isOfEarlierShift({ startedAt }: ShiftRecord): boolean {
    const { found, raised } = this;
    const isOther = found?.ended !== undefined || found?.startedAt !== startedAt;
    return raised !== undefined && raised === found?.raised && isOther;
  }

  public async record(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    await this.settle();
    return this.put(
      () => record,
      (call) => this.interruption.during(true, call),
    );
  }

  /**
   * Puts it on record that capacity is about to be raised.
   *
   * @param record of the shift, for a run that has written none yet
   * @throws Error where that fails: nothing may be raised then
   */
  public async remember(record: ShiftRecord, raised: CapacityRecord): Promise<void> {
    let before: CapacityRecord | undefined;
    const event = await this.put(
      () => {
        const newest = this.lastRecord ?? record;
        before = this.raised;
        this.raised = raised;
        return newest;
      },
      (call) => call(this.interruption.killSignal),
    );
    if (event?.type !== 'recorded') {
      this.raised = before;
      if (event?.type === 'leaseTaken') {
        this.onLost(event);
      }
      const why = event && 'message' in event ? event.message : 'interrupted';
      throw new Error(`what is to be raised could not be put on record: ${why}`);
    }
  }

  /**
   * Makes the lease last longer, with the last record, or with this one where there was none yet. That goes on beside
   * other calls.
   */
  public keepOn(record: ShiftRecord): Promise<ShiftEvent | undefined> {
    this.keeping = this.put(
      () => this.lastRecord ?? record,
      (call) => call(this.interruption.killSignal),
    );
    return this.keeping;
  }

  /** The same after the shift has ended, where that is due: until its capacity is given back. */
  public async keepLast(): Promise<ShiftEvent | undefined> {
    const record = this.lastRecord ?? this.found;
    return record && this.clock.now() >= this.dueAt ? this.keepOn(record) : undefined;
  }

  /** Waits for a call of the router, and keeps the lease at the same time: DNS takes minutes to follow a write. */
  public async during<T>(call: Promise<T>, keep: () => void): Promise<T> {
    // By this machine's timers, whatever the clock of the shift: it is for calls that take long.
    const timer = setInterval(keep, Math.min(lookEveryMs, this.keepEvery));
    try {
      return await call;
    } finally {
      clearInterval(timer);
    }
  }

  /** Waits until it is kept: a record must not be overwritten by the one before it. */
  public async settle(): Promise<void> {
    await this.keeping;
    await this.putting;
  }

  /**
   * Gives the lease back. A record that has ended is marked, and one that a complete shift has given up; one that a run
   * neither wrote nor went on with stays.
   *
   * @returns what went wrong, if anything did
   */
  public async release(state: ShiftEnded, ending: Ending): Promise<string | undefined> {
    if (!this.holds) {
      return undefined;
    }
    const { isPressed, killed, killSignal } = this.interruption;
    const left = this.withRaised(this.recordToLeave(state, ending));
    const what = left?.ended ? 'could not be marked as ended' : 'could not be given back';
    try {
      const isDone = await within(
        isPressed ? pressedTimeoutMs : timeoutMs,
        killed ? undefined : killSignal,
        async (own) => {
          await this.lease.release(left, own);
          return true;
        },
      );
      return isDone ? undefined : `The lease ${this.lease.name} ${what}: interrupted`;
    } catch (error) {
      return `The lease ${this.lease.name} ${what}: ${errorLine(error)}`;
    }
  }

  private recordToLeave(
    { end, live }: ShiftEnded,
    { at, startedAt, keepsRecord }: Ending,
  ): ShiftRecord | undefined {
    const { verdict, finished } = end;
    const found = this.found?.ended ? undefined : this.found;
    const isOfRecord = end.isOfRecord === true || (found !== undefined && startedAt === found.startedAt);
    const record = this.lastRecord ?? (isOfRecord ? found : undefined);
    const isComplete = verdict === 'completed';
    if (record) {
      const left =
        finished && !(isComplete && keepsRecord) ? { ...record, ended: { at, verdict, live } } : record;
      return isComplete ? withoutEvacuation(left) : this.withEvacuation(left);
    }
    if (!isComplete || !this.found) {
      return undefined;
    }
    if (found) {
      return withoutEvacuation({ ...found, ended: { at, verdict: 'forgotten', live } });
    }
    return this.found.evacuated && withoutEvacuation(this.found);
  }

  /** An evacuation ends with a complete shift alone: one that is killed or rolled back leaves it. */
  private withEvacuation(record: ShiftRecord): ShiftRecord {
    return this.found?.evacuated ? { ...record, evacuated: this.found.evacuated } : record;
  }

  /**
   * What is left of capacity, whatever else is: a record without it where it was given back. An unfinished record of another
   * shift stays as it is: a run that goes on with it needs its counts, and to give back twice changes nothing.
   */
  private withRaised(left: ShiftRecord | undefined): ShiftRecord | undefined {
    const { found } = this;
    const record = left ?? (found?.ended && found.raised && !this.raised ? found : undefined);
    if (!record) {
      return undefined;
    }
    const { raised: _before, ...others } = record;
    const whole = this.lastRecord ? { ...withoutPersons(others), ...this.persons } : others;
    return this.raised ? { ...whole, raised: this.raised } : whole;
  }

  /** @param newest says what is to be put when its turn has come */
  private put(
    newest: () => ShiftRecord,
    during: (
      call: (signal: AbortSignal) => Promise<ShiftEvent | undefined>,
    ) => Promise<ShiftEvent | undefined>,
  ): Promise<ShiftEvent | undefined> {
    // What waits for its turn is not due once more.
    this.keptAt = this.clock.now();
    const next = this.putting.then(() => this.putNow(newest(), during));
    this.putting = next;
    return next;
  }

  private async putNow(
    record: ShiftRecord,
    during: (
      call: (signal: AbortSignal) => Promise<ShiftEvent | undefined>,
    ) => Promise<ShiftEvent | undefined>,
  ): Promise<ShiftEvent | undefined> {
    this.lastRecord = record;
    this.keptAt = this.clock.now();
    const { raised } = this;
    try {
      return await during((signal) =>
        within(timeoutMs, signal, async (own) => {
          const whole = { ...withoutPersons(record), ...this.persons, ...(raised && { raised }) };
          await this.lease.keep(this.withEvacuation(whole), own);
          return { type: 'recorded', at: this.clock.now() } as const;
        }),
      );
    } catch (error) {
      return error instanceof LeaseTaken
        ? this.failed(error, '')
        : { type: 'recordFailed', at: this.clock.now(), message: `${this.lease.name}: ${errorLine(error)}` };
    }
  }

  private failed(error: unknown, what: string): ShiftEvent {
    this.holds = false;
    const message = error instanceof LeaseTaken ? errorLine(error) : `${what}: ${errorLine(error)}`;
    return { type: 'leaseTaken', at: this.clock.now(), message };
  }
}
