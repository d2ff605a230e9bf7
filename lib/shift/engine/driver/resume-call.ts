import { errorLine } from '../../../core/validation/problems';
import type { Resume } from '../shift-run';
import { OpenCall, untilAnswered } from './open-call';
import { personName } from './request-calls';

/** How a person is asked. */
interface ResumeCallSettings {
  /** How often, in milliseconds. */
  readonly everyMs: number;
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Takes lines for a person. */
  readonly log: (text: string) => void;
  /** Is called at every answer. */
  readonly onAnswer: () => void;
}

/** Whether a person lets it go on, or why the question could not be asked. */
type ResumeAnswer = { readonly resumed: Resumed; readonly problem?: string };

/** Whether it may go on; by whose word, where that is known. */
type Resumed = boolean | { readonly by: string };

/** Asks whether a person lets a shift go beyond a pause, one call at a time: one that hangs holds nothing else up. */
class ResumeCall {
  private readonly call: OpenCall<Resumed>;
  private answer: ResumeAnswer | undefined;
  private isOpen = false;
  private onChange: (() => void) | undefined;
  /** The problem that is in the log already. */
  private logged: string | undefined;

  /** @param place place of the pause, in percent of the way */
  public constructor(
    private readonly resume: Resume,
    public readonly place: number,
    private readonly calls: ResumeCallSettings,
  ) {
    this.call = new OpenCall(resume.waits === true ? undefined : calls.timeoutMs);
    calls.log(`To let it go on: ${resume.how}`);
  }

  /** Whether a person has let it go on, and that was not taken yet. */
  public get hasResumed(): boolean {
    return this.answer !== undefined && this.answer.resumed !== false;
  }

  /**
   * Asks, and waits for a little while.
   *
   * @returns whether a person has let it go on
   */
  public async ask(signal: AbortSignal): Promise<Resumed> {
    const { stuck } = this.call;
    const asksAnew = !this.isOpen && !this.hasResumed;
    if (asksAnew && stuck > 0) {
      return this.take({
        resumed: false,
        problem: `${stuck} calls have not ended, although they were aborted`,
      });
    }
    if (asksAnew) {
      void this.start();
    }
    await untilAnswered({
      isOver: () => !asksAnew || !this.isOpen,
      isUrgent: () => true,
      everyMs: this.calls.everyMs,
      onChange: (told) => (this.onChange = told),
      signal,
    });
    this.onChange = undefined;
    const { answer } = this;
    this.answer = undefined;
    return answer ? this.take(answer) : false;
  }

  /** A problem that goes on is in the log once. */
  private take({ resumed, problem }: ResumeAnswer): Resumed {
    if (problem !== undefined && problem !== this.logged) {
      this.calls.log(`It could not be read whether the shift may go on: ${problem}`);
    }
    this.logged = problem;
    return resumed;
  }

  /** Gives up the open call. */
  public close(): void {
    this.call.drop();
  }

  private async start(): Promise<void> {
    this.isOpen = true;
    try {
      const resumed = await this.call.make((signal) => this.resume.resumed(this.place, signal));
      const by = typeof resumed === 'object' && typeof resumed?.by === 'string' ? resumed.by : undefined;
      this.answer = {
        resumed: by === undefined ? Boolean(resumed) : { by: personName(by) },
      };
    } catch (error) {
      this.answer = { resumed: false, problem: errorLine(error) };
    }
    this.isOpen = false;
    this.onChange?.();
    this.calls.onAnswer();
  }
}

/** What the machine hears, without its time. */
type ResumeNews =
  | { readonly type: 'resumed'; readonly by?: string }
  | { readonly type: 'notResumed' | 'cannotResume' };

/** Asks at each pause whether a person lets the shift go on. */
export class ResumeCalls {
  private current: ResumeCall | undefined;

  public constructor(
    private readonly resume: Resume | undefined,
    private readonly settings: ResumeCallSettings,
  ) {}

  /** Whether a person has let it go on, and that was not taken yet. */
  public get hasResumed(): boolean {
    return this.current?.hasResumed === true;
  }

  /** @returns what the machine hears, without its time */
  public async ask(place: number, signal: AbortSignal): Promise<ResumeNews> {
    if (!this.resume) {
      return { type: 'cannotResume' };
    }
    if (this.current?.place !== place) {
      this.close();
      this.current = new ResumeCall(this.resume, place, this.settings);
    }
    const resumed = await this.current.ask(signal);
    return resumed === false
      ? { type: 'notResumed' }
      : { type: 'resumed', ...(typeof resumed === 'object' && resumed) };
  }

  /** Gives up the open call. */
  public close(): void {
    this.current?.close();
  }
}
