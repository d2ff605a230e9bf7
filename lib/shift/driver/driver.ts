import type { CheckStage } from '../check';
import type { Clock } from '../clock';
import { systemClock } from '../clock';
import type { ShiftAction } from '../machine/actions';
import type { ShiftEvent } from '../machine/events';
import { next } from '../machine/next';
import { progressOf } from '../machine/progress';
import type { ShiftState } from '../machine/states';
import { initialState, recordOf } from '../machine/states';
import type { ShiftOutcome } from '../outcome';
import type { ShiftRun } from '../shift-run';
import { sameWeights } from '../way';
import type { Weights } from '../weights';
import { askChecks, defaultCheckTimeoutMs } from './ask-checks';
import { Interruption } from './interruption';
import { LeaseKeeper } from './lease-keeper';
import { Ledger } from './ledger';
import { RouterCalls } from './router-calls';
import { textOf } from './text-of';
import { within } from './within';

type Asked = Exclude<ShiftAction, { type: 'log' }>;

/** Does what the machine asks for, and tells it what came of it. */
export class Driver {
  private readonly clock: Clock;
  private readonly startedAt: number;
  private readonly ledger: Ledger;
  private readonly interruption: Interruption;
  private readonly router: RouterCalls;
  private readonly lease: LeaseKeeper;
  private state: ShiftState = initialState;
  private asked: Asked | undefined;
  /** When the shift began that this run is about, in an earlier run perhaps. */
  private shiftStartedAt: number | undefined;
  /** When the weights that stand were written. */
  private standsSince: number;
  /** A write whose fate is not known. */
  private doubtful: { readonly weights: Weights; readonly rollback: boolean } | undefined;

  /** The pause of which a person was told how to end it. */
  private toldHowAt: number | undefined;

  public constructor(private readonly run: ShiftRun) {
    this.clock = run.clock ?? systemClock;
    this.startedAt = this.clock.now();
    this.standsSince = this.startedAt;
    this.ledger = new Ledger(run.plan, this.startedAt, run.observer);
    this.interruption = new Interruption(run.signal, run.kill, run.interruptGraceMs);
    this.router = new RouterCalls(run.router, this.clock, this.interruption);
    this.lease = new LeaseKeeper(run.lease, this.clock, this.interruption);
  }

  public async drive(): Promise<ShiftOutcome> {
    try {
      this.tell(await this.start());
      while (this.state.phase !== 'ended') {
        this.tell(await this.nextEvent());
      }
      const { end, live } = this.state;
      const { verdict, finished, pausedAt } = end;
      const isOver = finished && !(verdict === 'completed' && this.run.keepRecord === true);
      const problem = await this.lease.release(
        isOver ? { at: this.clock.now(), verdict, live } : undefined,
        this.shiftStartedAt,
      );
      if (problem !== undefined) {
        this.ledger.addLog(this.clock.now(), problem);
      }
      const { runAgain = 'run the same shift again', runBeyond } = this.run;
      const beyond =
        (pausedAt === undefined ? undefined : runBeyond?.(pausedAt)) ??
        `${runAgain}, told that it may go beyond that place`;
      const outcome = this.ledger.outcome(this.state, this.clock.now(), { runAgain, beyond });
      return problem === undefined ? outcome : { ...outcome, leaseProblem: problem };
    } finally {
      this.interruption.dispose();
    }
  }

  private async start(): Promise<ShiftEvent> {
    const taken = await this.lease.acquire();
    if (taken === undefined) {
      return this.stopping();
    }
    const { origin, resumedTo, rollBack } = this.run;
    return 'type' in taken
      ? taken
      : {
          type: 'started',
          at: this.clock.now(),
          record: taken.content.record,
          unreadable: taken.content.problem,
          origin,
          resumedTo,
          rollBack,
        };
  }

  private tell(event: ShiftEvent): void {
    const { state, actions } = next(this.run.plan, this.state, event);
    this.state = state;
    this.shiftStartedAt = 'course' in state ? state.course.startedAt : this.shiftStartedAt;
    this.noteWrite(event);
    for (const action of actions) {
      if (action.type === 'log') {
        this.ledger.addLog(event.at, action.text);
      } else {
        this.asked = action;
      }
    }
    this.ledger.addProgress((checks) => progressOf(this.run.plan, state, event.at, checks));
  }

  /** A write whose answer got lost is on the list once the live weights show it. */
  private noteWrite(event: ShiftEvent): void {
    const { doubtful } = this;
    const shown =
      event.type === 'live' && !event.members && doubtful
        ? sameWeights(this.run.plan.slots, event.weights, doubtful.weights)
        : false;
    if (doubtful && (event.type === 'written' || shown)) {
      this.standsSince = event.at;
      this.ledger.addWrite(event.at, doubtful.weights, doubtful.rollback);
      this.doubtful = undefined;
    }
  }

  /** Does what was asked for last; an interrupt goes before it. */
  private async nextEvent(): Promise<ShiftEvent> {
    const stops = this.interruption.killed || this.interruption.isNew;
    return (stops ? undefined : await this.answerTo(this.asked!)) ?? this.stopping();
  }

  private stopping(): ShiftEvent {
    const type = this.interruption.killed ? 'killed' : 'interrupted';
    this.interruption.told = true;
    return { type, at: this.clock.now() };
  }

  /** @returns `undefined` where it was cut short */
  private async answerTo(action: Asked): Promise<ShiftEvent | undefined> {
    switch (action.type) {
      case 'read':
        return this.router.read();
      case 'record':
        return this.lease.record(action.record);
      case 'write':
        this.doubtful = action;
        return this.router.write(action.weights);
      case 'wait':
        return this.wait(action.until, action.retry);
      case 'check':
        return this.check(action.stage, action.next);
      case 'ask':
        return this.ask(action.place);
    }
  }

  private async wait(until: number, retry: boolean): Promise<ShiftEvent | undefined> {
    const { random = Math.random } = this.run;
    const begun = this.clock.now();
    const end = retry ? begun + (until - begun) * (0.5 + random() / 2) : until;
    for (let now = begun; now < end; now = this.clock.now()) {
      const pause = Math.min(end, Math.max(this.leaseDueAt, now + 1)) - now;
      await this.interruption.during(false, (signal) => this.clock.sleep(pause, signal));
      if (this.interruption.killed || this.interruption.isNew) {
        return undefined;
      }
      const lost = this.clock.now() >= this.leaseDueAt ? await this.keepLease() : undefined;
      if (lost) {
        return lost;
      }
    }
    return { type: 'waited', at: this.clock.now() };
  }

  /** When the lease is to be made longer: not before the live weights are known, which its record needs. */
  private get leaseDueAt(): number {
    return 'course' in this.state ? this.lease.dueAt : Infinity;
  }

  /** Makes the lease last longer; the machine hears of it only where the lease is lost. */
  private async keepLease(): Promise<ShiftEvent | undefined> {
    if (!('course' in this.state)) {
      return undefined;
    }
    const { course } = this.state;
    const event = await this.lease.keepOn(recordOf(course, this.run.plan.wanted, course.live));
    if (event?.type === 'recordFailed') {
      this.ledger.addLog(event.at, event.message);
    }
    return event?.type === 'leaseTaken' ? event : undefined;
  }

  private async check(stage: CheckStage, weights: Weights | undefined): Promise<ShiftEvent | undefined> {
    if (!('course' in this.state)) {
      return undefined;
    }
    const { origin, live } = this.state.course;
    const { plan, checks, checkTimeoutMs } = this.run;
    const window = {
      stage,
      from: this.standsSince,
      to: this.clock.now(),
      startedAt: this.startedAt,
      origin,
      live,
      wanted: plan.wanted,
      writes: [...this.ledger.written],
      ...(weights ? { next: weights } : {}),
    };
    const results = await this.interruption.during(false, (signal) =>
      askChecks(checks, window, signal, checkTimeoutMs),
    );
    if (this.interruption.killed || this.interruption.isNew) {
      return undefined;
    }
    const at = this.clock.now();
    this.ledger.addChecks(at, stage, results);
    return { type: 'checked', at, stage, results };
  }

  private async ask(place: number): Promise<ShiftEvent | undefined> {
    const { resume, checkTimeoutMs = defaultCheckTimeoutMs } = this.run;
    if (!resume) {
      return { type: 'cannotResume', at: this.clock.now() };
    }
    if (this.toldHowAt !== place) {
      this.toldHowAt = place;
      this.ledger.addLog(this.clock.now(), `To let it go on: ${resume.how}.`);
    }
    try {
      const answer = await this.interruption.during(false, (signal) =>
        within(checkTimeoutMs, signal, (own) => resume.resumed(place, own)),
      );
      const at = this.clock.now();
      return answer === undefined ? undefined : { type: answer ? 'resumed' : 'notResumed', at };
    } catch (error) {
      this.ledger.addLog(this.clock.now(), `Nobody could be asked whether it may go on: ${textOf(error)}`);
      return { type: 'notResumed', at: this.clock.now() };
    }
  }
}
