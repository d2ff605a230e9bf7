import type { Clock } from '../../../core/async';
import type { Check, CheckBaseline, CheckResult, CheckStage, CheckWindow } from '../check';
import { formatRoundedDuration, formatWeights } from '../format';
import type { NamedResult } from '../machine/events';
import { sameWeights } from '../steps';
import { inconclusive, namedResult } from './ask-checks';
import { OpenCall, untilAnswered } from './open-call';

/** What a check has answered, which was not taken yet. */
interface CheckAnswer {
  /** What it was asked. */
  readonly window: CheckWindow;
  /** When it has answered, in milliseconds since 1970. */
  readonly at: number;
  readonly result: NamedResult;
}

/** How a check runs. */
interface OneCheckSettings {
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The clock of the windows. */
  readonly clock: Clock;
  /** The time of day of a moment of that clock: sources of figures know no other. */
  readonly wall: (at: number) => number;
  /** Is called at every answer. */
  readonly onAnswer: () => void;
}

/** Runs one check, one call at a time. */
class OneCheck {
  public answer: CheckAnswer | undefined;
  private readonly call: OpenCall<CheckResult>;
  private asked: CheckWindow | undefined;
  /** Whether it is on record that it does not answer. */
  private isNoted = false;
  /** The stage that found it open, and when: it is asked for that one next. */
  private waiting: { readonly stage: CheckStage; readonly at: number } | undefined;

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
  public ask(window: CheckWindow, baseline: CheckBaseline | undefined): void {
    if (!this.isOpen && this.call.stuck === 0) {
      this.waiting = undefined;
      void this.take(baseline ? { ...window, baseline } : window);
    }
  }

  /**
   * Whether it is the turn of a stage: one that takes longer than the time between two calls would else be asked for the same
   * stage for ever.
   *
   * @param withinMs how long a stage waits that does not come again
   */
  public isTurnOf({ stage, to }: CheckWindow, withinMs: number): boolean {
    if (this.isOpen) {
      this.waiting = this.asked?.stage === stage ? this.waiting : { stage, at: to };
      return false;
    }
    return this.waiting === undefined || this.waiting.stage === stage || to - this.waiting.at > withinMs;
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

  /** What is taken for an answer where there is none. */
  public unanswered(): NamedResult {
    const { stuck } = this.call;
    if (this.asked) {
      const ago = formatRoundedDuration(this.settings.clock.now() - this.asked.to);
      return inconclusive(this.check.name, `has not answered yet, started ${ago} ago`);
    }
    const reason =
      stuck > 0
        ? `is not run again: ${stuck} of its calls have not ended, although they were aborted`
        : 'is asked in turn before a step and while weights are live: it takes longer than checkEvery';
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

/** What a round of checks has come to. */
export interface Round {
  /** One result for each check of the stage, or those that failed. */
  readonly results: readonly NamedResult[];
  /** What is to be put on record of it. */
  readonly news: readonly CheckNews[];
  /** From when on counts when they are asked again: a slow one does not set the pace of the others. */
  readonly paceFrom: number;
}

/** A result for the record. */
export interface CheckNews {
  /** When it was given, in milliseconds since 1970. */
  readonly at: number;
  readonly stage: CheckStage;
  readonly result: NamedResult;
}

/** How checks run. */
export interface CheckCallSettings extends OneCheckSettings {
  /** How often, in milliseconds. */
  readonly everyMs: number;
}

/**
 * Runs checks, each on its own: one that does not answer leaves the others as they are. It is inconclusive until it
 * answers or its time is over, and is not run a second time until then.
 *
 * An answer counts for the weights that it ran for. Only a `fail` counts whenever it comes: while checks run,
 * weights only move forwards, so what has failed with less traffic has no less of it now.
 */
export class CheckCalls {
  private readonly all: readonly OneCheck[];
  private readonly everyMs: number;
  private readonly clock: Clock;
  private onChange: (() => void) | undefined;

  public constructor(checks: readonly Check[], { everyMs, clock, onAnswer, ...settings }: CheckCallSettings) {
    this.everyMs = everyMs;
    this.clock = clock;
    const answered = (): void => {
      this.onChange?.();
      onAnswer();
    };
    this.all = checks.map((check) => new OneCheck(check, { ...settings, clock, onAnswer: answered }));
  }

  /** Whether one has failed, and that was not taken yet. */
  public get hasFailed(): boolean {
    return this.all.some(({ answer }) => answer?.result.status === 'fail');
  }

  /** Whether one has passed that was asked for this stage, and that was not taken yet. */
  public hasPassed(stage: CheckStage): boolean {
    return this.all.some(({ answer }) => answer?.result.status === 'pass' && answer.window.stage === stage);
  }

  /**
   * Runs the checks of a window's stage, and waits for a little while.
   *
   * @param dueAt from when on a pass lets the shift go on, in milliseconds since 1970: what is asked before says nothing of
   *   the whole time that the weights have to be live
   * @param baselines what checks measured before the first write, by their names
   */
  public async ask(
    window: CheckWindow,
    dueAt: number,
    signal: AbortSignal,
    baselines: Readonly<Record<string, CheckBaseline>> = {},
  ): Promise<Round> {
    const checks = this.all.filter(({ check }) => check.stages.includes(window.stage));
    const isDue = window.to >= dueAt;
    const since = isDue ? dueAt : window.from;
    const counts = (asked: CheckWindow): boolean => asked.to >= since && isSameQuestion(asked, window);
    this.forget(window);
    const asked = this.hasFailed
      ? []
      : checks.filter(
          (one) => one.isTurnOf(window, 2 * this.everyMs) && !this.isAnswered(one, window, counts, isDue),
        );
    asked.forEach((one) => one.ask(window, baselines[one.check.name]));
    await untilAnswered({
      isOver: () => this.hasFailed || asked.every(({ isOpen }) => !isOpen),
      // One that has answered is to be asked again, be it of the other stage.
      isUrgent: () => this.all.some(({ isOpen }) => !isOpen),
      everyMs: this.everyMs,
      onChange: (told) => (this.onChange = told),
      signal,
    });
    this.onChange = undefined;
    const answeredAt = asked.flatMap(({ isOpen, answer }) => (isOpen ? [] : (answer?.at ?? [])));
    const paceFrom = Math.min(...(answeredAt.length > 0 ? answeredAt : [window.to]));
    return {
      ...(this.hasFailed ? this.failures(counts) : this.take(window.stage, checks, asked, counts)),
      paceFrom,
    };
  }

  /** Gives up the open calls: nothing is asked any more. */
  public close(): void {
    this.all.forEach((one) => one.drop());
  }

  /** What was said of weights that are not live any more lets nothing go on. */
  private forget({ live, wanted }: CheckWindow): void {
    const slots = Object.keys(wanted);
    for (const one of this.all) {
      const { answer } = one;
      if (answer && answer.result.status !== 'fail' && !sameWeights(slots, answer.window.live, live)) {
        one.answer = undefined;
      }
    }
  }

  /** Whether its last answer is enough for now. */
  private isAnswered(
    { answer }: OneCheck,
    window: CheckWindow,
    counts: (asked: CheckWindow) => boolean,
    isDue: boolean,
  ): boolean {
    return (
      answer !== undefined &&
      counts(answer.window) &&
      (window.to - answer.window.to < this.everyMs || (isDue && answer.result.status === 'pass'))
    );
  }

  private failures(counts: (asked: CheckWindow) => boolean): Omit<Round, 'paceFrom'> {
    const news = this.all.flatMap((one) => {
      const { answer } = one;
      if (answer?.result.status !== 'fail') {
        return [];
      }
      one.answer = undefined;
      return newsOf(counts(answer.window) ? answer : this.late(answer));
    });
    return { results: news.map(({ result }) => result), news };
  }

  private take(
    stage: CheckStage,
    checks: readonly OneCheck[],
    asked: readonly OneCheck[],
    counts: (asked: CheckWindow) => boolean,
  ): Omit<Round, 'paceFrom'> {
    const news: CheckNews[] = [];
    const results = checks.map((one) => {
      const { answer } = one;
      // What it said for the other stage is for a round of that one.
      one.answer = answer?.window.stage === stage ? undefined : answer;
      if (answer && counts(answer.window)) {
        news.push(newsOf(answer));
        return answer.result;
      }
      const result = one.unanswered();
      if (!(one.isOpen && asked.includes(one)) && one.noteUnanswered()) {
        news.push({ at: this.clock.now(), stage, result });
      }
      return result;
    });
    return { results, news: news.sort((a, b) => a.at - b.at) };
  }

  /** Adds what it was run for. */
  private late(answer: CheckAnswer): CheckAnswer {
    const { window, result } = answer;
    const ago = formatRoundedDuration(this.clock.now() - window.to);
    const reason = `${result.reason} (started ${ago} ago, at ${formatWeights(window.live)})`;
    return { ...answer, result: { ...result, reason } };
  }
}

function newsOf({ at, window, result }: CheckAnswer): CheckNews {
  return { at, stage: window.stage, result };
}

function isSameQuestion(one: CheckWindow, other: CheckWindow): boolean {
  const slots = Object.keys(other.wanted);
  return (
    one.stage === other.stage &&
    sameWeights(slots, one.live, other.live) &&
    sameWeights(slots, one.next ?? one.live, other.next ?? other.live)
  );
}
