import { randomBytes } from 'node:crypto';
import { systemClock } from '../../core/async';
import type { Clock } from '../../core/async';
import { oneLine } from '../../core/printable-text';
import { LeaseTaken } from '../../shift/engine';
import { BackWatch } from './back-watch';
import { SwapCalls } from './calls';
import type { News } from './calls';
import type { SwapAction, SwapEvent } from './machine/events';
import { nextSwap } from './machine/next';
import { initialSwap } from './machine/states';
import type { SwapEnd, SwapState } from './machine/states';
import type { SwapRecord } from './record';
import type { SwapContent } from './store';
import { StoreKeeper, storeProblem } from './store-keeper';
import type { BackRequests, RanPhase, SwapLine, SwapOutcome, SwapRun } from './swap-run';

type Asked = Exclude<SwapAction, { type: 'log' }>;

/** A program may say a line for each resource, again and again. */
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
  private readonly keeper: StoreKeeper;
  private readonly calls: SwapCalls;
  private readonly backWatch: BackWatch;
  private readonly startedAt: number;
  private readonly lines: SwapLine[] = [];
  /** The newest record of each swap that this run has gone through. */
  private readonly records = new Map<string, SwapRecord>();
  private record: SwapRecord | undefined;
  /** A record that is being written: it may be there already. */
  private writing: SwapRecord | undefined;
  private state: SwapState = initialSwap;
  private asked: Asked | undefined;

  public constructor(private readonly run: SwapRun) {
    this.clock = run.clock ?? systemClock;
    this.startedAt = this.clock.now();
    const { random = Math.random } = run;
    const desk = { clock: this.clock, random, say: (line: string): void => this.say(line) };
    this.keeper = new StoreKeeper({ ...desk, store: run.store, onLost: () => this.calls.onLost() });
    this.calls = new SwapCalls(run, { ...desk, keeper: this.keeper });
    this.backWatch = new BackWatch({
      ...(run.askedBack && { askedBack: run.askedBack }),
      ...{ clock: this.clock, say: desk.say },
      record: () => this.writing ?? this.record,
      onFound: () => this.calls.turn(),
    });
  }

  public async drive(): Promise<SwapOutcome> {
    try {
      let end = await this.start();
      while (end === undefined) {
        const event = await this.nextEvent(this.asked!);
        end = this.lostEnd() ?? this.tell(event);
      }
      return this.outcome(end, await this.keeper.release(this.noteStop(end)));
    } finally {
      this.keeper.stop();
      this.backWatch.stop();
      this.calls.dispose();
    }
  }

  /** @returns how it ends where it can't begin */
  private async start(): Promise<SwapEnd | undefined> {
    const taken = await this.take();
    if ('verdict' in taken) {
      return taken;
    }
    this.keeper.begin();
    const { stopped: _, ...record } = taken.record ?? {};
    this.noteRecord(taken.record && (record as SwapRecord));
    this.backWatch.begin();
    return this.tell(this.startedBy(this.run.by, this.run.ask));
  }

  private startedBy(by: string, ask: SwapRun['ask'] = 'forward'): SwapEvent {
    const { adopt, retry, waits } = this.run;
    const at = this.clock.now();
    return {
      ...{ type: 'started', at, id: this.newId(at), by, ask },
      ...(this.record && { record: this.record }),
      ...(adopt !== undefined && { adopt }),
      ...(retry !== undefined && { retry }),
      ...(waits !== undefined && { waits }),
    };
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
      const reason = oneLine(`${store.name}: ${content.problem}. ${unknown}`);
      return { verdict: 'aborted', isUnread: true, reason };
    } catch (error) {
      return {
        verdict: 'aborted',
        ...(!(error instanceof LeaseTaken) && { isUnread: true }),
        reason: `Nothing was changed. ${storeProblem(store, error)}`,
      };
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
    await this.backWatch.lookIfDue();
    const isToEnd = this.calls.isInterrupted || this.backWatch.isFound;
    const news = isToEnd ? undefined : await this.answerTo(action);
    const at = this.clock.now();
    const isWritten = action.type === 'record' && news !== undefined;
    // What a deployment came to is known better after a look, and the next run has one.
    if (this.calls.isInterrupted && !isWritten) {
      this.calls.told = true;
      return { type: 'interrupted', at };
    }
    const wanted = isWritten ? undefined : this.backWatch.take();
    return wanted ? this.turnedBack(wanted) : ({ ...news!, at } satisfies SwapEvent);
  }

  /** What a person has asked for elsewhere: the machine looks anew, as a run with `--back` does. */
  private turnedBack({ by, then }: NonNullable<Awaited<ReturnType<BackRequests>>>): SwapEvent {
    this.calls.turned();
    this.state = initialSwap;
    return this.startedBy(by, then === 'delete' ? 'backAndDelete' : 'back');
  }

  private answerTo(action: Asked): Promise<News> {
    this.run.observer?.action?.(action);
    return action.type === 'record' ? this.write(action.record) : this.calls.make(action, this.record);
  }

  /** An interrupt lets it come to its end. */
  private async write(record: SwapRecord): Promise<News> {
    // Before it is written: a run that is killed here does it again. Once more at the end, for what could not be done before.
    if (record.back !== undefined && (this.record?.back === undefined || record.ended !== undefined)) {
      // A process that has slept may have lost the lease: what is asked for now is the other run's.
      const lost = await this.keeper.confirm();
      if (lost !== undefined) {
        return { type: 'notRecorded', reason: lost };
      }
      const open = await this.calls.withdraw();
      if (open !== undefined && record.ended !== undefined) {
        return { type: 'notWithdrawn', reason: open };
      }
    }
    this.writing = record;
    const reason = await this.keeper.write(record);
    this.writing = undefined;
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

  /** The next run, and who looks before it, have to know why this one has stopped. */
  private noteStop({ verdict, reason }: SwapEnd): SwapRecord | undefined {
    const { record } = this;
    if (!record || record.ended || (verdict !== 'held' && verdict !== 'aborted')) {
      return undefined;
    }
    return (this.record = { ...record, stopped: { at: this.clock.now(), by: this.run.by, verdict, reason } });
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
