import { sleep, within } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import type { ShiftObserver, ShiftOutcome, ShiftProgress } from '../engine';
import { newAnswers } from './answer-record';
import type { ShiftAnswer } from './answer-record';
import { isSameStatus, statusOf } from './status-record';
import type { ShiftStatus, ShiftStatusSoFar } from './status-record';
import type { WatchStores } from './stores';

/** In milliseconds. */
const defaults = { writeEvery: 2_000, readEvery: 3_000, callTimeout: 10_000 };

/** Until a shift begins: whoever watches then would see the one before. In milliseconds. */
const untilBegun = 100;

/** What a watched run is made with. */
export interface WatchedRunOptions {
  readonly stores: Pick<WatchStores, 'status' | 'answers'>;
  /** Hears what a person asks. */
  readonly onAnswer: (answer: ShiftAnswer) => void;
  /** Takes a line for a person. */
  readonly say: (line: string) => void;
  /** @default - as a person has patience: 2 s, 3 s, 10 s for a call */
  readonly times?: Partial<typeof defaults>;
}

/**
 * Lets other machines watch a run: writes where it is, and reads what people ask. It has no part in the shift: what fails here is
 * said once, and tried again.
 */
export class WatchedRun {
  private readonly stop = new AbortController();
  /** Ends calls that are under way. */
  private readonly givenUp = new AbortController();
  private readonly times: typeof defaults;
  private readonly known = new Set<string>();
  private readonly loops: Promise<unknown>[];
  private progress: ShiftProgress | undefined;
  private outcome: ShiftOutcome | undefined;
  private soFar: ShiftStatusSoFar = { writes: 0 };
  private written: ShiftStatus | undefined;
  private writtenAt = 0;
  private holds = false;
  private hasBaseline = false;
  private readonly said = new Set<string>();

  public constructor(private readonly options: WatchedRunOptions) {
    this.times = { ...defaults, ...options.times };
    this.loops = [
      this.each(
        () => (this.progress ? this.times.writeEvery : untilBegun),
        'can not be watched',
        () => this.write(),
      ),
      this.each(
        () => this.times.readEvery,
        'does not hear what other machines ask',
        () => this.read(),
      ),
    ];
  }

  /** What hears of the shift. */
  public get observer(): ShiftObserver {
    return {
      progress: (progress) => {
        if (progress.verdict === null && this.outcome) {
          // Another run of the route, which takes it back.
          this.outcome = undefined;
          this.soFar = { writes: 0 };
        }
        const { pausedSince = progress.at, ...soFar } = this.soFar;
        this.soFar = progress.pausedAt === null ? soFar : { ...soFar, pausedSince };
        // At its end it is not said any more.
        const startedAt = progress.startedAt ?? this.progress?.startedAt ?? null;
        this.progress = { ...progress, startedAt };
      },
      written: ({ at }) => {
        this.soFar = { ...this.soFar, writes: this.soFar.writes + 1, writtenAt: Date.parse(at) };
      },
      ended: (outcome) => (this.outcome = outcome),
    };
  }

  /**
   * Writes how it ended, and hears of nothing more.
   *
   * @param signal ends it at once, with the calls that are under way
   */
  public async end(signal?: AbortSignal): Promise<void> {
    const giveUp = (): void => this.givenUp.abort();
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) {
      giveUp();
    }
    try {
      await this.writeEnd();
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** Ends it at once; nothing more is written. */
  public async close(): Promise<void> {
    this.givenUp.abort();
    this.stop.abort();
    await Promise.all(this.loops);
  }

  private async writeEnd(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.loops);
    const status = this.status();
    if (!status) {
      return;
    }
    try {
      await this.call(async (own) => {
        await this.take(own);
        await this.options.stores.status.release(status, own);
      });
    } catch (error) {
      this.complain('can not be watched', error);
    }
  }

  private status(): ShiftStatus | undefined {
    return this.progress && statusOf(this.progress, this.outcome, this.soFar);
  }

  private async write(): Promise<void> {
    const status = this.status();
    if (!status || (this.written && isSameStatus(status, this.written) && !this.isDue)) {
      return;
    }
    await this.call(async (signal) => {
      await this.take(signal);
      await this.options.stores.status.keep(status, signal);
    });
    this.written = status;
    this.writtenAt = Date.now();
  }

  /** Who watches sees by the lease that it still runs. */
  private get isDue(): boolean {
    const { durationMs = 60_000 } = this.options.stores.status;
    return Date.now() - this.writtenAt > durationMs / 3;
  }

  private async take(signal: AbortSignal): Promise<void> {
    if (!this.holds) {
      await this.options.stores.status.acquire(signal);
      this.holds = true;
    }
  }

  private async read(): Promise<void> {
    const { record, problem } = await this.call((signal) => this.options.stores.answers.look(signal));
    if (problem !== undefined) {
      throw new Error(problem);
    }
    const shift = this.progress?.startedAt ?? -1;
    const fresh = newAnswers(record ?? { answers: [] }, shift, this.known);
    // What was asked of an earlier run has been done, or came too late.
    if (this.hasBaseline) {
      fresh.forEach((answer) => this.options.onAnswer(answer));
    }
    this.hasBaseline = true;
  }

  private async call<T>(make: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const answer = await within(this.times.callTimeout, this.givenUp.signal, async (own) => ({
      value: await make(own),
    }));
    if (!answer) {
      throw new Error('it was interrupted');
    }
    return answer.value;
  }

  private async each(milliseconds: () => number, what: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        this.holds = false;
        if (!this.givenUp.signal.aborted) {
          this.complain(what, error);
        }
      }
      await sleep(milliseconds(), signal).catch(() => undefined);
    }
  }

  private complain(what: string, error: unknown): void {
    if (!this.said.has(what)) {
      this.said.add(what);
      this.options.say(`warning: this shift ${what}: ${errorLine(error)}`);
    }
  }
}
