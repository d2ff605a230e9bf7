import type { Clock } from '../../core/async';
import { AwsError } from '../../core/aws/errors';
import { oneLine } from '../../core/printable-text';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { SwapNotBegun } from './begin';
import { bounded } from './bounded';
import type { Bounds } from './bounded';
import { deployConfiguration } from './deployment';
import type { SwapAction, SwapEvent } from './machine/events';
import type { SwapRecord } from './record';
import type { PhaseRunner } from './runner';
import type { StoreKeeper } from './store-keeper';
import type { SwapRun } from './swap-run';

/** An event without its time. */
export type News = SwapEvent extends infer Event
  ? Event extends SwapEvent
    ? Omit<Event, 'at'>
    : never
  : never;

/** What the machine asks for beside the record. */
type Called = Exclude<SwapAction, { type: 'log' | 'record' }>;

/** What is known of a swap by those whom it asks. */
type AskedSwap = Pick<SwapRecord, 'id' | 'startedAt'>;

/** How often what there is is read, before it is given up. */
const looks = 5;

/** The pause after the first look that failed; each further one is twice as long, with a random part of up to half. */
const firstPauseMs = 1_000;

const askTimeoutMs = 60_000;

const withdrawTimeoutMs = 120_000;

/** How long a program may take to end what it has under way once it is to stop, where it does not say so itself. */
const endsWithinMs = 120_000;

/** The same of a shift that the swap runs itself: a rollback on an interrupt takes up to 20 minutes where AWS does not answer. */
const shiftEndsWithinMs = 25 * 60_000;

/** How long a phase that deploys nothing may take for the same. */
const stopsWithinMs = 15_000;

const lookBounds: Bounds = { timeoutMs: 120_000, endsWithinMs: stopsWithinMs };

/** What calls need of the driver. */
export interface CallsDesk {
  readonly clock: Clock;
  readonly random: () => number;
  readonly keeper: StoreKeeper;
  readonly say: (line: string) => void;
}

/** Makes the calls that the machine asks for, each within its time; an interrupt and a lost lease end them. */
export class SwapCalls {
  /** Whether the machine has heard of the interrupt: what it asks for after that is done. */
  public told = false;
  /** Whether what is under way is to end, and the swap to go back. */
  private isTurned = false;
  /** The call that is under way; a lost lease ends none that is `whole`. */
  private current: { readonly controller: AbortController; readonly whole: boolean } | undefined;
  /** What a person was told to answer. */
  private toldHow = '';

  public constructor(
    private readonly run: SwapRun,
    private readonly desk: CallsDesk,
  ) {
    run.signal?.addEventListener('abort', this.onInterrupt);
  }

  public dispose(): void {
    this.run.signal?.removeEventListener('abort', this.onInterrupt);
  }

  public get isInterrupted(): boolean {
    return !this.told && this.run.signal?.aborted === true;
  }

  private get isEnding(): boolean {
    return this.isInterrupted || this.isTurned;
  }

  /** The lease is lost. */
  public onLost(): void {
    if (this.current?.whole === false) {
      this.current.controller.abort(new Error(this.desk.keeper.lost));
    }
  }

  /** A person wants the swap to go back: what is under way is ended, until {@link turned}. */
  public turn(): void {
    this.isTurned = true;
    this.current?.controller.abort(new Error('a rollback was requested'));
  }

  /** What is asked for from now on is of the way back. */
  public turned(): void {
    this.isTurned = false;
  }

  private readonly onInterrupt = (): void => {
    if (!this.told) {
      this.current?.controller.abort(new Error('interrupted'));
    }
  };

  /** @param swap which people are asked about. @default - none has begun: no one is asked, and nothing deployed */
  public make(action: Called, swap: AskedSwap = { id: '', startedAt: 0 }): Promise<News> {
    switch (action.type) {
      case 'look':
        return this.look();
      case 'deploy':
        return this.deploy(action, swap.id);
      case 'run':
        return this.runPhase(action);
      case 'ask':
        return this.ask(action, swap);
      case 'wait':
        return this.wait(action);
    }
  }

  private async look(): Promise<News> {
    for (let tried = 1; ; tried += 1) {
      try {
        return { type: 'seen', seen: await this.during(lookBounds, (signal) => this.run.observe(signal)) };
      } catch (error) {
        const isLast = tried >= looks || this.isEnding || this.desk.keeper.lost !== undefined;
        if (isLast || !mayPass(error) || (this.run.program.problems?.() ?? []).length > 0) {
          return { type: 'notSeen', reason: notSeenReason(error) };
        }
        this.desk.say(`${unseen}, and is read again: ${errorLine(error)}`);
        await this.pause(firstPauseMs * 2 ** (tried - 1) * (1 + this.desk.random() / 2));
      }
    }
  }

  /** @param id of the swap, which pull requests of it name */
  private async deploy(action: Extract<Called, { type: 'deploy' }>, id: string): Promise<News> {
    const help = {
      fleet: this.run.plan.fleet,
      swap: id,
      ...(this.run.mover && { mover: this.run.mover }),
      say: (line: string): void => this.desk.say(line),
      holds: () => this.desk.keeper.confirm(),
      live: async (signal: AbortSignal) => {
        const { live } = await bounded(lookBounds, signal, (ends) => this.run.observe(ends));
        return live;
      },
      pause: (milliseconds: number, signal: AbortSignal) =>
        this.desk.clock.sleep(milliseconds * (1 + this.desk.random() / 2), signal),
    };
    try {
      const endsWithin = Math.max(
        this.run.program.endsWithinMs ?? endsWithinMs,
        this.run.mover && action.phase === 'shift' ? shiftEndsWithinMs : 0,
      );
      // A lease that is lost meanwhile does not end it: half of a deployment is worse, and the program has its own locks.
      const call = { timeoutMs: this.left(action.until), endsWithinMs: endsWithin, whole: true };
      return await this.during(call, (signal) => deployConfiguration(this.run.program, action, help, signal));
    } catch (error) {
      return { type: 'notDeployed', reason: errorLine(error), changed: false };
    }
  }

  /**
   * What was asked for and is not done must not be done later.
   *
   * @returns why that is not sure, which is said as well
   */
  public async withdraw(): Promise<string | undefined> {
    const { program } = this.run;
    if (program.withdraw === undefined) {
      return undefined;
    }
    const say = (line: string): void => this.desk.say(line);
    try {
      const call = { timeoutMs: withdrawTimeoutMs, endsWithinMs: stopsWithinMs };
      await this.during(call, (signal) => program.withdraw!(say, signal));
      return undefined;
    } catch (error) {
      const problem = `${program.name}: what is asked for there and not done yet could not be taken back: ${errorLine(error)}`;
      say(problem);
      return problem;
    }
  }

  private async runPhase({ phase, until, ...rest }: Extract<Called, { type: 'run' }>): Promise<News> {
    const runner = (this.run.runners as Readonly<Record<string, PhaseRunner | undefined>>)[phase];
    if (!runner) {
      throw new Error(`nothing runs the phase ${phase}`);
    }
    const { slot, other, back } = rest;
    // After a sleep, another process may have swapped the fleet: it deletes what that one needs.
    const lost = phase === 'drain' ? await this.desk.keeper.confirm() : undefined;
    if (lost !== undefined) {
      return { type: 'notPassed', reason: lost, final: false };
    }
    try {
      const call = { timeoutMs: this.left(until), endsWithinMs: stopsWithinMs };
      const answer = await this.during(call, (signal) =>
        runner.run({ slot, other, back, say: (line) => this.desk.say(line) }, signal),
      );
      return answer.passed
        ? { type: 'passed' }
        : { type: 'notPassed', reason: oneLine(answer.reason), final: answer.final };
    } catch (error) {
      return { type: 'notPassed', reason: errorLine(error), final: error instanceof InvalidInput };
    }
  }

  private async ask({ phase, until }: Extract<Called, { type: 'ask' }>, swap: AskedSwap): Promise<News> {
    const { approvals } = this.run;
    if (this.toldHow !== `${swap.id} ${phase}`) {
      this.toldHow = `${swap.id} ${phase}`;
      const by = new Date(until).toISOString();
      this.desk.say(`${phase}: a person has to agree by ${by}: ${approvals.how(phase)}`);
    }
    try {
      // A run that begins after the time that a person had reads what was answered in it.
      const call = { timeoutMs: askTimeoutMs, endsWithinMs: stopsWithinMs };
      const answer = await this.during(call, (signal) => approvals.answer(phase, swap, signal));
      if (answer === undefined) {
        return { type: 'notAnswered' };
      }
      return 'approvedBy' in answer
        ? { type: 'approved', approvedBy: oneLine(answer.approvedBy) }
        : { type: 'refused', refusedBy: oneLine(answer.refusedBy) };
    } catch (error) {
      if (!this.isEnding) {
        this.desk.say(`${phase}: the answer could not be read: ${errorLine(error)}`);
      }
      return { type: 'notAnswered', isUnread: true };
    }
  }

  private async wait({ until, why }: Extract<Called, { type: 'wait' }>): Promise<News> {
    // Several swaps that wait for the same service must not ask it at the same moment.
    const longer =
      why === 'retry' ? Math.max(until - this.desk.clock.now(), 0) * 0.2 * this.desk.random() : 0;
    await this.pause(until + longer - this.desk.clock.now());
    return { type: 'waited' };
  }

  /** Waits, and keeps the lease; an interrupt and a lost lease end it. */
  private async pause(milliseconds: number): Promise<void> {
    let end = this.desk.clock.now() + milliseconds;
    const controller = new AbortController();
    this.current = { controller, whole: false };
    for (
      let now = this.desk.clock.now();
      now < end && !controller.signal.aborted;
      now = this.desk.clock.now()
    ) {
      if (this.isEnding || this.desk.keeper.lost !== undefined) {
        break;
      }
      // A clock that is set back makes no pause longer.
      end = Math.min(end, now + milliseconds);
      await this.desk.clock.sleep(
        Math.ceil(Math.min(end - now, this.desk.keeper.everyMs)),
        controller.signal,
      );
      this.desk.keeper.keepIfDue();
    }
    this.current = undefined;
  }

  /** Milliseconds until a time; at least a second, so that what is late says so itself. */
  private left(until: number): number {
    return Math.max(until - this.desk.clock.now(), 1_000);
  }

  /** @param call `whole`: a lost lease does not end it */
  private async during<T>(
    { whole = false, ...bounds }: Bounds & { readonly whole?: boolean },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    this.current = { controller, whole };
    try {
      return await bounded(bounds, controller.signal, work);
    } finally {
      this.current = undefined;
    }
  }
}

const unseen = 'What there is could not be read';

function notSeenReason(error: unknown): string {
  return error instanceof SwapNotBegun
    ? `The swap did not begin: ${errorLine(error)}\nNothing was changed. Correct that, and run it again.`
    : `${unseen}: ${errorLine(error)}\nNothing more was changed. Run it again.`;
}

/** Whether another look may come to more: not where a right or a setting is missing. */
function mayPass(error: unknown): boolean {
  return !(
    error instanceof InvalidInput ||
    error instanceof SwapNotBegun ||
    (error instanceof AwsError && ['denied', 'credentials', 'region'].includes(error.failure.kind))
  );
}
