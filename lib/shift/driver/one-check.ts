import type { Check, CheckResult, CheckWindow } from '../check';
import type { Clock } from '../clock';
import type { NamedResult } from '../machine/events';
import { describeDuration } from '../texts';
import { inconclusive, namedResult } from './ask-checks';
import { OpenCall } from './open-call';

/** What a check has answered, which nobody has taken yet. */
export interface CheckAnswer {
  /** What it was asked. */
  readonly window: CheckWindow;
  /** When it has answered, in milliseconds since 1970. */
  readonly at: number;
  readonly result: NamedResult;
}

/** How a check is asked. */
export interface OneCheckSettings {
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The clock of the windows. */
  readonly clock: Clock;
  /** The time of day of a moment of that clock: sources of figures know no other. */
  readonly wall: (at: number) => number;
  /** Is called at every answer. */
  readonly onAnswer: () => void;
}

/** Asks one check, one call at a time. */
export class OneCheck {
  public answer: CheckAnswer | undefined;
  private readonly call: OpenCall<CheckResult>;
  private asked: CheckWindow | undefined;
  /** Whether it is on record that it does not answer. */
  private isNoted = false;

  public constructor(
    public readonly check: Check,
    private readonly settings: OneCheckSettings,
  ) {
    this.call = new OpenCall(settings.timeoutMs);
  }

  /** Whether it was asked and has not answered yet. */
  public get isOpen(): boolean {
    return this.asked !== undefined;
  }

  /** Asks it, unless it has not answered yet or too many of its calls hang. */
  public ask(window: CheckWindow): void {
    if (!this.isOpen && this.call.stuck === 0) {
      void this.take(window);
    }
  }

  /** Gives up the open call. */
  public drop(): void {
    this.call.drop();
  }

  /** Whether it is news that it has not answered: once, until it answers again. */
  public noteUnanswered(): boolean {
    const isNews = !this.isNoted;
    this.isNoted = true;
    return isNews;
  }

  /** What stands for an answer where there is none. */
  public unanswered(): NamedResult {
    const { stuck } = this.call;
    const reason = this.asked
      ? `has not answered yet, asked ${describeDuration(this.settings.clock.now() - this.asked.to)} ago`
      : `is not asked again: ${stuck} of its calls have not ended, although they were aborted`;
    return inconclusive(this.check.name, reason);
  }

  private async take(window: CheckWindow): Promise<void> {
    this.asked = window;
    let hasEnded = false;
    const call = this.call.make(async (signal) => {
      try {
        return await this.check.evaluate(inWallTime(window, this.settings.wall), signal);
      } finally {
        hasEnded = true;
      }
    });
    const result = await namedResult(this.check.name, call);
    this.asked = undefined;
    this.isNoted &&= !hasEnded;
    this.answer = { window, at: this.settings.clock.now(), result };
    this.settings.onAnswer();
  }
}

function inWallTime(window: CheckWindow, wall: (at: number) => number): CheckWindow {
  const { from, to, startedAt, writes } = window;
  return {
    ...window,
    from: wall(from),
    to: wall(to),
    startedAt: wall(startedAt),
    writes: writes.map((write) => ({ ...write, at: wall(write.at) })),
  };
}
