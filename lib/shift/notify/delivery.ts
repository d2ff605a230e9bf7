import { systemClock, within } from '../../core/async';
import type { Clock } from '../../core/async';
import { oneLine } from '../../core/printable-text';
import { redacted } from '../../core/redaction';
import type { FleetEvent } from './event';
import { DeliveryFailed } from './sink';
import type { Sink } from './sink';

/** What came of all deliveries to one sink. */
export interface DeliveryReport {
  /** Name of the sink. */
  readonly sink: string;
  /** How many events it got. */
  readonly delivered: number;
  /** How many it did not get. */
  readonly undelivered: number;
  /** Why the last of those could not be delivered, on one line. @default - all were delivered */
  readonly problem?: string;
}

/** How deliveries are tried. Times are milliseconds. */
export interface DeliveryOptions {
  /** How long one try may take. @default 10000 */
  readonly timeoutMs?: number;
  /** How often one event is tried. @default 4 - with pauses of 1, 2 and 4 seconds */
  readonly tries?: number;
  /** How many events wait at most; of more, answers of checks go first, then the oldest. @default 500 */
  readonly most?: number;
  /** What pauses are waited for with. @default - that of this machine */
  readonly clock?: Clock;
  /** A number from 0 to 1, for the jitter of pauses. @default Math.random */
  readonly random?: () => number;
}

/** The pause after the first try that failed; each further one is twice as long, with a random part of up to half. */
const firstPauseMs = 1_000;

/** A service that asks for more is not waited for: what happened is old by then. */
const longestPauseMs = 60_000;

/**
 * Takes events to one sink, one after the other, beside the shift: `add` never waits and never throws. A sink that hangs, fails or is
 * slow keeps its own queue waiting, and nothing else.
 */
export class Delivery {
  private readonly queue: FleetEvent[] = [];
  private readonly stop = new AbortController();
  private readonly clock: Clock;
  private working: Promise<void> | undefined;
  private delivered = 0;
  private undelivered = 0;
  private problem: string | undefined;
  /** Whether the last event was given up: the next one has one try, so that a dead sink costs no minute an event. */
  private isDown = false;

  public constructor(
    private readonly sink: Sink,
    private readonly options: DeliveryOptions = {},
  ) {
    this.clock = options.clock ?? systemClock;
  }

  /** Puts an event into the queue, if the sink takes it. */
  public add(event: FleetEvent): void {
    try {
      if (this.stop.signal.aborted || !this.sink.takes(event)) {
        return;
      }
    } catch (error) {
      this.giveUp(error);
      return;
    }
    this.queue.push(event);
    this.dropBeyond(this.options.most ?? 500);
    this.working ??= this.work();
  }

  /**
   * Waits until all is delivered, for so long at most; then what is left is given up.
   *
   * @param signal ends the wait at once
   */
  public async end(withinMs: number, signal?: AbortSignal): Promise<DeliveryReport> {
    const close = this.sink.close?.bind(this.sink);
    try {
      await within(withinMs, signal, async (own) => {
        while (this.working) {
          await this.working;
        }
        await close?.(own);
      });
    } catch (error) {
      this.problem ??= lineOf(error);
    }
    this.stop.abort(new DeliveryFailed('it had no answer when the shift ended'));
    await this.working;
    const { sink, delivered, undelivered, problem } = this;
    return { sink: oneLine(sink.name), delivered, undelivered, ...(problem !== undefined && { problem }) };
  }

  private async work(): Promise<void> {
    for (let event = this.queue.shift(); event; event = this.queue.shift()) {
      await this.deliver(event);
    }
    this.working = undefined;
  }

  private async deliver(event: FleetEvent): Promise<void> {
    const { tries = 4, timeoutMs = 10_000, random = Math.random } = this.options;
    const most = this.isDown ? 1 : tries;
    for (let tried = 1; ; tried += 1) {
      try {
        this.stop.signal.throwIfAborted();
        const isDone = await within(timeoutMs, this.stop.signal, async (signal) => {
          await this.sink.deliver(event, signal);
          return true;
        });
        if (isDone !== true) {
          throw this.stop.signal.reason as Error;
        }
        this.delivered += 1;
        this.isDown = false;
        return;
      } catch (error) {
        const { final = false, retryAfterMs = firstPauseMs * 2 ** (tried - 1) } =
          error instanceof DeliveryFailed ? error.how : {};
        if (final || tried >= most || retryAfterMs > longestPauseMs || this.stop.signal.aborted) {
          this.isDown = !final;
          this.giveUp(error);
          return;
        }
        await this.clock.sleep(retryAfterMs * (1 + random() / 2), this.stop.signal);
      }
    }
  }

  private giveUp(error: unknown): void {
    this.undelivered += 1;
    // That it was given up at the end says less than why it had failed before.
    this.problem =
      error === this.stop.signal.reason && this.problem !== undefined ? this.problem : lineOf(error);
  }

  private dropBeyond(most: number): void {
    while (this.queue.length > most) {
      const answer = this.queue.findIndex(({ type }) => type === 'checkAnswered');
      this.queue.splice(Math.max(answer, 0), 1);
      this.giveUp(new DeliveryFailed(`more than ${most} events waited for it`));
    }
  }
}

/** What a service answers may hold a key that was sent to it; keys are known by what is around them, so escapes come after. */
function lineOf(error: unknown): string {
  return oneLine(redacted(error instanceof Error ? error.message || error.name : String(error)));
}

/** What of the reports a person has to know, a line each. */
export function deliveryLines(reports: readonly DeliveryReport[]): readonly string[] {
  return reports
    .filter(({ undelivered, problem }) => undelivered > 0 || problem !== undefined)
    .map(({ sink, delivered, undelivered, problem = '' }) =>
      undelivered > 0
        ? `${sink}: ${undelivered} of ${delivered + undelivered} events were not delivered: ${problem}`
        : `${sink}: ${problem}`,
    );
}
