import type { Resume } from '../shift-run';
import { OpenCall } from './open-call';
import { untilAnswered } from './patience';
import { textOf } from './text-of';

/** Whether a person lets it go on. */
export interface ResumeAnswer {
  readonly resumed: boolean;
  /** Why nobody could be asked. */
  readonly problem?: string;
}

/** Asks whether a person lets a shift go beyond a pause, one call at a time: one that hangs holds nothing else up. */
export class ResumeCall {
  private readonly call: OpenCall<boolean>;
  private answer: ResumeAnswer | undefined;
  private isOpen = false;
  private onChange: (() => void) | undefined;

  /**
   * @param place place of the pause, in percent of the way
   * @param everyMs how often it is asked, in milliseconds
   * @param timeoutMs how long a call may take, in milliseconds
   * @param onAnswer is told of every answer
   */
  public constructor(
    private readonly resume: Resume,
    public readonly place: number,
    private readonly everyMs: number,
    timeoutMs: number,
    private readonly onAnswer: () => void,
  ) {
    this.call = new OpenCall(timeoutMs);
  }

  /** Whether a person has let it go on, and nobody has taken that yet. */
  public get hasResumed(): boolean {
    return this.answer?.resumed === true;
  }

  /**
   * Asks, and waits for a little while.
   *
   * @returns `undefined` where it has not answered yet
   */
  public async ask(signal: AbortSignal): Promise<ResumeAnswer | undefined> {
    const { stuck } = this.call;
    const asksAnew = !this.isOpen && !this.hasResumed;
    if (asksAnew && stuck > 0) {
      return { resumed: false, problem: `${stuck} calls have not ended, although they were aborted` };
    }
    if (asksAnew) {
      void this.start();
    }
    await untilAnswered({
      isOver: () => !asksAnew || !this.isOpen,
      isUrgent: () => true,
      everyMs: this.everyMs,
      onChange: (told) => (this.onChange = told),
      signal,
    });
    this.onChange = undefined;
    const { answer } = this;
    this.answer = undefined;
    return answer;
  }

  /** Gives up the open call. */
  public close(): void {
    this.call.drop();
  }

  private async start(): Promise<void> {
    this.isOpen = true;
    try {
      const resumed = await this.call.make((signal) => this.resume.resumed(this.place, signal));
      this.answer = { resumed: Boolean(resumed) };
    } catch (error) {
      this.answer = { resumed: false, problem: textOf(error) };
    }
    this.isOpen = false;
    this.onChange?.();
    this.onAnswer();
  }
}
