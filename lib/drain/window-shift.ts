import { parseDuration } from '../durations';
import type { Router, ShiftObserver, Verdict } from '../shift';
import type { WindowWriter } from './window-writer';

/** A router and who watches it, as a shift takes them. */
export interface WatchedRouter {
  /** What holds the weights. */
  readonly router: Router;
  /** Is told what happens while it happens. */
  readonly observer: ShiftObserver;
}

/**
 * Keeps the sync window of a shift: it is put in before the first step is written, by whichever route comes first, renewed
 * while the shift runs, and taken away when it is complete or rolled back.
 *
 * It does not come earlier, since a new slot's Applications have to be deployed before the slot may get its first percent;
 * and a rollback does not wait for it.
 */
export class WindowShift {
  private opening: Promise<void> | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private isOpen = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param lasts of the window, as Go writes durations; it is renewed when half of it has passed
   */
  public constructor(
    private readonly writer: Pick<WindowWriter, 'open' | 'close'>,
    private readonly lasts: string,
    private readonly say: (line: string) => void,
  ) {}

  /** The router and the observer of one route, watched. */
  public around({ router, observer }: WatchedRouter): WatchedRouter {
    let isAboutToWrite = false;
    return {
      router: {
        name: router.name,
        read: async (signal) => {
          // A shift reads the live weights before each write. Between that and the write there must be nothing.
          if (isAboutToWrite) {
            await this.opened(signal);
          }
          return router.read(signal);
        },
        write: (weights, signal, expected) => router.write(weights, signal, expected),
      },
      observer: {
        ...observer,
        progress: (now) => {
          isAboutToWrite = now.activity === 'writing';
          observer.progress?.(now);
        },
      },
    };
  }

  /** @param verdict of all routes together */
  public async end(verdict: Verdict): Promise<void> {
    this.stop();
    await this.opening;
    await this.running;
    if (verdict === 'completed' || verdict === 'rolledBack') {
      // Also where it was not opened: a run that was killed may have left one.
      await this.writer.close();
    } else if (this.isOpen) {
      this.say(
        `sync window: automated rollouts wait on, since the shift is not over; within ${this.lasts} they go on by themselves`,
      );
    }
  }

  /** Renews it no more. */
  public stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private async opened(signal: AbortSignal | undefined): Promise<void> {
    this.opening ??= this.open(signal);
    await this.opening;
  }

  private async open(signal: AbortSignal | undefined): Promise<void> {
    this.isOpen = await this.writer.open(signal);
    if (this.isStopped) {
      return;
    }
    this.timer = setInterval(
      () => {
        this.running = this.running.then(() => this.writer.open());
      },
      parseDuration(this.lasts)! / 2,
    );
    this.timer.unref();
  }
}
