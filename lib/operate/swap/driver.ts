import { randomBytes } from 'node:crypto';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { oneLine } from '../../core/printable-text';
import { InvalidInput, errorLine } from '../../core/validation/problems';
import { AwsError } from '../../core/aws/errors';
import { bounded } from './bounded';
import type { Bounds } from './bounded';
import { deployConfiguration } from './deployment';
import type { SwapAction, SwapEvent } from './machine/events';
import { nextSwap } from './machine/next';
import { initialSwap } from './machine/states';
import type { SwapEnd, SwapState } from './machine/states';
import type { SwapRecord } from './record';
import type { PhaseRunner } from './runner';
import type { SwapContent } from './store';
import { StoreKeeper } from './store-keeper';
import type { RanPhase, SwapLine, SwapOutcome, SwapRun } from './swap-run';

type Asked = Exclude<SwapAction, { type: 'log' }>;

/** An event without its time. */
type News = SwapEvent extends infer Event ? (Event extends SwapEvent ? Omit<Event, 'at'> : never) : never;

/** How often what there is is read, before it is given up. */
const looks = 5;

const lookTimeoutMs = 120_000;

/** The pause after the first look that failed; each further one is twice as long, with a random part of up to half. */
const firstPauseMs = 1_000;

const askTimeoutMs = 60_000;

/** How long a program may take to end what it has under way once it is to stop. */
const endsWithinMs = 120_000;

/** How long a phase that deploys nothing may take for the same. */
const stopsWithinMs = 15_000;

const mostLines = 2_000;

/**
 * Swaps a fleet's cluster, or goes on with a swap that was begun.
 *
 * @example
 * const outcome = await runSwap({ plan, program, observe, runners, store, approvals, by: 'alex@laptop' });
 */
export function runSwap(run: SwapRun): Promise<SwapOutcome> {
  return new SwapDriver(run).drive();
}

/** Does what the machine asks for, and tells it what came of it. */
class SwapDriver {
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly keeper: StoreKeeper;
  private readonly startedAt: number;
  private readonly lines: SwapLine[] = [];
  /** The newest record of each swap that this run has gone through. */
  private readonly records = new Map<string, SwapRecord>();
  private record: SwapRecord | undefined;
  private state: SwapState = initialSwap;
  private asked: Asked | undefined;
  /** Whether the machine has heard of the interrupt: what it asks for after that is done. */
  private told = false;
  /** The call that is under way; a lost lease ends none that is `whole`. */
  private current: { readonly controller: AbortController; readonly whole: boolean } | undefined;
  /** What a person was told to answer. */
  private toldHow = '';

  public constructor(private readonly run: SwapRun) {
    this.clock = run.clock ?? systemClock;
    this.random = run.random ?? Math.random;
    this.startedAt = this.clock.now();
    this.keeper = new StoreKeeper({
      store: run.store,
      clock: this.clock,
      random: this.random,
      onLost: () => {
        if (this.current?.whole === false) {
          this.current.controller.abort(new Error(this.keeper.lost));
        }
      },
      say: (line) => this.say(line),
    });
  }

  public async drive(): Promise<SwapOutcome> {
    this.run.signal?.addEventListener('abort', this.onInterrupt);
    try {
      let end = await this.start();
      while (end === undefined) {
        const event = await this.nextEvent(this.asked!);
        end = this.lostEnd() ?? this.tell(event);
      }
      return this.outcome(end, await this.keeper.release());
    } finally {
      this.keeper.stop();
      this.run.signal?.removeEventListener('abort', this.onInterrupt);
    }
  }

  private readonly onInterrupt = (): void => {
    if (!this.told) {
      this.current?.controller.abort(new Error('interrupted'));
    }
  };

  private get isInterrupted(): boolean {
    return !this.told && this.run.signal?.aborted === true;
  }

  /** @returns how it ends where it can't begin */
  private async start(): Promise<SwapEnd | undefined> {
    const taken = await this.take();
    if ('verdict' in taken) {
      return taken;
    }
    this.keeper.begin();
    const { ask = 'forward', adopt, waits, by } = this.run;
    const { record } = taken;
    const at = this.clock.now();
    this.noteRecord(record);
    return this.tell({
      ...{ type: 'started', at, id: this.newId(at), by, ask },
      ...(record && { record }),
      ...(adopt !== undefined && { adopt }),
      ...(waits !== undefined && { waits }),
    });
  }

  private async take(): Promise<SwapContent | SwapEnd> {
    const { store, signal = new AbortController().signal } = this.run;
    try {
      const content = await this.keeper.acquire(signal);
      if (content === undefined) {
        return { verdict: 'held', reason: 'It was interrupted before it began. Run it again.' };
      }
      if (content.problem === undefined) {
        return content;
      }
      const unknown = 'Nothing was changed: what a swap has done so far is not known.';
      return { verdict: 'aborted', reason: oneLine(`${store.name}: ${content.problem}. ${unknown}`) };
    } catch (error) {
      return { verdict: 'aborted', reason: `Nothing was changed. ${store.name}: ${errorLine(error)}` };
    }
  }

  /** `20260101T030000Z-1a2b3c` */
  private newId(at: number): string {
    const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
    return `${time}-${randomBytes(3).toString('hex')}`;
  }

  /** Another process swaps the fleet now: this one changes nothing more, whatever its machine waits for. */
  private lostEnd(): SwapEnd | undefined {
    const { lost } = this.keeper;
    return lost === undefined
      ? undefined
      : { verdict: 'aborted', reason: oneLine(`${lost} Nothing more is changed here.`) };
  }

  /**
   * An event that the machine does not wait for asks for nothing: what was asked for still applies.
   *
   * @returns how it has ended
   */
  private tell(event: SwapEvent): SwapEnd | undefined {
    this.run.observer?.event?.(event);
    const { state, actions } = nextSwap(this.run.plan, this.state, event);
    this.state = state;
    for (const action of actions) {
      if (action.type === 'log') {
        this.say(action.text);
      } else {
        this.asked = action;
      }
    }
    return state.end;
  }

  /** Does what was asked for last; an interrupt goes before it. */
  private async nextEvent(action: Asked): Promise<SwapEvent> {
    const news = this.isInterrupted ? undefined : await this.answerTo(action);
    const at = this.clock.now();
    // What a deployment came to is known better after a look, and the next run has one.
    if (news === undefined || (this.isInterrupted && action.type !== 'record')) {
      this.told = true;
      return { type: 'interrupted', at };
    }
    return { ...news, at };
  }

  private async answerTo(action: Asked): Promise<News> {
    this.run.observer?.action?.(action);
    switch (action.type) {
      case 'look':
        return this.look();
      case 'record':
        return this.write(action.record);
      case 'deploy':
        return this.deploy(action);
      case 'run':
        return this.runPhase(action);
      case 'ask':
        return this.ask(action);
      case 'wait':
        return this.wait(action);
    }
  }

  private async look(): Promise<News> {
    for (let tried = 1; ; tried += 1) {
      try {
        const call = { timeoutMs: lookTimeoutMs, endsWithinMs: stopsWithinMs };
        return { type: 'seen', seen: await this.during(call, (signal) => this.run.observe(signal)) };
      } catch (error) {
        if (tried >= looks || this.isInterrupted || this.keeper.lost !== undefined || !mayPass(error)) {
          return { type: 'notSeen', reason: errorLine(error) };
        }
        this.say(`What there is could not be read, and is read again: ${errorLine(error)}`);
        await this.pause(firstPauseMs * 2 ** (tried - 1) * (1 + this.random() / 2));
      }
    }
  }

  /** An interrupt lets it come to its end. */
  private async write(record: SwapRecord): Promise<News> {
    const reason = await this.keeper.write(record);
    if (reason !== undefined) {
      return { type: 'notRecorded', reason };
    }
    this.noteRecord(record);
    return { type: 'recorded' };
  }

  private noteRecord(record: SwapRecord | undefined): void {
    this.record = record;
    // One that has ended before this run began is none of this run's.
    if (record && (record.ended === undefined || record.ended.at >= this.startedAt)) {
      this.records.set(record.id, record);
    }
  }

  private async deploy(action: Extract<Asked, { type: 'deploy' }>): Promise<News> {
    const help = {
      say: (line: string): void => this.say(line),
      holds: () => this.keeper.confirm(),
    };
    try {
      // A lease that is lost meanwhile does not end it: half of a deployment is worse, and the program has its own locks.
      return await this.during({ timeoutMs: this.left(action.until), endsWithinMs, whole: true }, (signal) =>
        deployConfiguration(this.run.program, action, help, signal),
      );
    } catch (error) {
      return { type: 'notDeployed', reason: errorLine(error), changed: false };
    }
  }

  private async runPhase({ phase, until, ...rest }: Extract<Asked, { type: 'run' }>): Promise<News> {
    const runner = (this.run.runners as Readonly<Record<string, PhaseRunner | undefined>>)[phase];
    if (!runner) {
      throw new Error(`nothing runs the phase ${phase}`);
    }
    const { slot, other, back } = rest;
    try {
      const call = { timeoutMs: this.left(until), endsWithinMs: stopsWithinMs };
      const answer = await this.during(call, (signal) =>
        runner.run({ slot, other, back, say: (line) => this.say(line) }, signal),
      );
      return answer.passed
        ? { type: 'passed' }
        : { type: 'notPassed', reason: oneLine(answer.reason), final: answer.final };
    } catch (error) {
      return { type: 'notPassed', reason: errorLine(error), final: error instanceof InvalidInput };
    }
  }

  private async ask({ phase, until }: Extract<Asked, { type: 'ask' }>): Promise<News> {
    const { approvals } = this.run;
    const id = this.record?.id ?? '';
    if (this.toldHow !== `${id} ${phase}`) {
      this.toldHow = `${id} ${phase}`;
      const by = new Date(until).toISOString();
      this.say(`${phase}: a person has to agree by ${by}: ${approvals.how(phase)}`);
    }
    try {
      const call = { timeoutMs: Math.min(askTimeoutMs, this.left(until)), endsWithinMs: stopsWithinMs };
      const answer = await this.during(call, (signal) => approvals.answer(phase, id, signal));
      if (answer === undefined) {
        return { type: 'notAnswered' };
      }
      return 'approvedBy' in answer
        ? { type: 'approved', approvedBy: oneLine(answer.approvedBy) }
        : { type: 'refused', refusedBy: oneLine(answer.refusedBy) };
    } catch (error) {
      if (!this.isInterrupted) {
        this.say(`${phase}: the answer could not be read: ${errorLine(error)}`);
      }
      return { type: 'notAnswered' };
    }
  }

  private async wait({ until, why }: Extract<Asked, { type: 'wait' }>): Promise<News> {
    // Several swaps that wait for the same service must not ask it at the same moment.
    const longer = why === 'retry' ? Math.max(until - this.clock.now(), 0) * 0.2 * this.random() : 0;
    await this.pause(until + longer - this.clock.now());
    return { type: 'waited' };
  }

  /** Waits, and keeps the lease; an interrupt and a lost lease end it. */
  private async pause(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    const controller = new AbortController();
    this.current = { controller, whole: false };
    for (let now = this.clock.now(); now < end && !controller.signal.aborted; now = this.clock.now()) {
      if (this.isInterrupted || this.keeper.lost !== undefined) {
        break;
      }
      await this.clock.sleep(Math.ceil(Math.min(end - now, this.keeper.everyMs)), controller.signal);
      this.keeper.keepIfDue();
    }
    this.current = undefined;
  }

  /** Milliseconds until a time; at least a second, so that what is late says so itself. */
  private left(until: number): number {
    return Math.max(until - this.clock.now(), 1_000);
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

  private say(text: string): void {
    for (const each of text.split('\n')) {
      const line = { at: this.clock.now(), text: oneLine(each) };
      this.lines.push(line);
      if (this.lines.length > mostLines) {
        this.lines.shift();
      }
      this.run.observer?.log?.(line);
    }
  }

  private outcome(end: SwapEnd, leaseProblem: string | undefined): SwapOutcome {
    const phases = [...this.records.values()].flatMap((record) =>
      record.done.map((done): RanPhase => ({
        ...done,
        swap: record.id,
        from: record.old.version,
        to: record.new.version,
      })),
    );
    return {
      schemaVersion: 1,
      fleet: this.run.plan.fleet,
      ...end,
      startedAt: this.startedAt,
      endedAt: this.clock.now(),
      ...(this.record && { record: this.record }),
      phases,
      log: this.lines,
      ...(leaseProblem !== undefined && { leaseProblem }),
    };
  }
}

/** Whether another look may come to more: not where a right or a setting is missing. */
function mayPass(error: unknown): boolean {
  return !(
    error instanceof InvalidInput ||
    (error instanceof AwsError && ['denied', 'credentials', 'region'].includes(error.failure.kind))
  );
}
