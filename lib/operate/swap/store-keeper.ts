import { within } from '../../core/async';
import type { Clock } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { LeaseTaken } from '../../shift/engine';
import { isDue } from './due';
import type { SwapRecord } from './record';
import type { SwapContent, SwapStore } from './store';

/** A store that hangs must not keep a swap from its end. */
const timeoutMs = 10_000;

/** A swap takes hours, and a call a minute costs nothing. A lease that is shorter is kept three times as it lasts. */
const keepEveryMs = 60_000;

const keepsPerDuration = 3;

/** How often it looks whether that is due. */
const lookEveryMs = 1_000;

/** How often a record is written again that could not be written. */
const tries = 3;

const pauseMs = 1_000;

/** What a keeper needs. */
export interface KeeperSettings {
  readonly store: SwapStore;
  readonly clock: Clock;
  readonly random: () => number;
  /** Hears of a lease that another process has taken over. */
  readonly onLost: () => void;
  readonly say: (line: string) => void;
}

/** Takes the lease of a swap, keeps it beside everything else, and gives it back. */
export class StoreKeeper {
  /** Why the lease is lost, for a person. @default - it is held */
  public lost: string | undefined;
  private holds = false;
  private record: SwapRecord | undefined;
  private keptAt = -Infinity;
  /** Why it could not be taken. @default - it could */
  private untaken: string | undefined;
  /** One write at a time: an older record must not come after a newer one. */
  private writing: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  public constructor(private readonly settings: KeeperSettings) {}

  /**
   * @returns undefined where it was cut short
   * @throws LeaseTaken, NewerLease, and what the store throws
   */
  public async acquire(signal: AbortSignal): Promise<SwapContent | undefined> {
    // One that is cut short may have been taken all the same.
    this.holds = true;
    const begun = this.settings.clock.now();
    try {
      const content = await within(timeoutMs, signal, (own) => this.settings.store.acquire(own));
      this.record = content?.record;
      this.keptAt = begun;
      return content;
    } catch (error) {
      this.holds = !(error instanceof LeaseTaken) && this.holds;
      this.untaken = storeProblem(this.settings.store, error);
      throw error;
    }
  }

  /** Begins to keep it, by this machine's timers: calls beside it may take hours. */
  public begin(): void {
    this.timer = setInterval(() => this.keepIfDue(), Math.min(lookEveryMs, this.everyMs));
    this.timer.unref();
  }

  /** Makes it last longer where that is due; that goes on beside other calls. */
  public keepIfDue(): void {
    const { clock, say } = this.settings;
    if (this.lost === undefined && isDue(clock.now(), this.keptAt, this.everyMs)) {
      void this.put(undefined).then((problem) => problem !== undefined && say(problem));
    }
  }

  /** How long a wait may be without a look whether it is due, in milliseconds. */
  public get everyMs(): number {
    const { durationMs = Infinity } = this.settings.store;
    return Math.min(keepEveryMs, durationMs / keepsPerDuration);
  }

  /**
   * Writes a record. A store that fails is asked again.
   *
   * @returns why it is not written
   */
  public async write(record: SwapRecord): Promise<string | undefined> {
    const { clock, random } = this.settings;
    let problem = await this.put(record);
    for (let tried = 1; tried < tries && problem !== undefined && this.lost === undefined; tried += 1) {
      await clock.sleep(pauseMs * 2 ** tried * (0.5 + random() / 2));
      problem = await this.put(record);
    }
    return this.lost ?? problem;
  }

  /**
   * Makes sure that it is held now.
   *
   * @returns why that is not known
   */
  public async confirm(): Promise<string | undefined> {
    return this.lost ?? (this.record ? this.write(this.record) : undefined);
  }

  /**
   * Gives it back.
   *
   * @param record the last one. @default - that which was written last
   * @returns why that failed
   */
  public async release(record?: SwapRecord): Promise<string | undefined> {
    this.stop();
    await this.writing;
    if (!this.holds || this.lost !== undefined) {
      return undefined;
    }
    const { store } = this.settings;
    try {
      await within(timeoutMs, undefined, (own) => store.release(record, own));
      return undefined;
    } catch (error) {
      const problem = storeProblem(store, error);
      // Who has been told so of taking it does not hold it.
      return problem === this.untaken ? undefined : problem;
    }
  }

  /** Keeps it no longer. */
  public stop(): void {
    clearInterval(this.timer);
  }

  /** @param record the new one. @default - the last one again */
  private put(record: SwapRecord | undefined): Promise<string | undefined> {
    // What waits for its turn is not due once more.
    this.keptAt = this.settings.clock.now();
    const next = this.writing.then(() => this.putNow(record ?? this.record));
    this.writing = next;
    return next;
  }

  private async putNow(record: SwapRecord | undefined): Promise<string | undefined> {
    const { store } = this.settings;
    try {
      await within(timeoutMs, undefined, async (own) => {
        await (record ? store.keep(record, own) : store.acquire(own));
      });
      this.record = record;
      return undefined;
    } catch (error) {
      if (error instanceof LeaseTaken) {
        this.lost = `the lease is lost: ${errorLine(error)}`;
        this.settings.onLost();
        return this.lost;
      }
      return storeProblem(store, error);
    }
  }
}

/** What a store answers, after its name: most of them name themselves. */
export function storeProblem({ name }: Pick<SwapStore, 'name'>, error: unknown): string {
  const line = errorLine(error);
  return line.startsWith(`${name}: `) ? line : `${name}: ${line}`;
}
