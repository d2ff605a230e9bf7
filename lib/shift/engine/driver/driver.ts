import { steadyClock, wallOf } from '../../../core/async';
import type { Clock } from '../../../core/async';
import type { CheckStage } from '../check';
import type { ShiftAction, ShiftEvent } from '../machine/events';
import { next } from '../machine/next';
import { progressOf } from '../machine/progress';
import { weightsAhead } from '../machine/shift-context';
import { asksChecks, initialState, isAboutToWrite, personsIn, recordOf } from '../machine/states';
import type { ShiftContext, ShiftState } from '../machine/states';
import type { ShiftOutcome } from '../outcome';
import type { ShiftPlan } from '../plan';
import { startOf } from '../shift-run';
import type { ShiftRun } from '../shift-run';
import { sameWeights } from '../steps';
import type { Weights } from '../weights';
import { defaultCheckTimeoutMs } from './ask-checks';
import { CapacityKeeper } from './capacity-keeper';
import { CheckCalls } from './check-calls';
import { Interruption } from './interruption';
import { Journal } from './journal';
import { LeaseKeeper } from './lease-keeper';
import { RequestCalls } from './request-calls';
import { ResumeCalls } from './resume-call';
import { RouterCalls } from './router-calls';
import { endsWait } from './waits';

type Asked = Exclude<ShiftAction, { type: 'log' }>;

/** Does what the machine asks for, and tells it what came of it. */
export class Driver {
  private readonly clock: Clock;
  private readonly startedAt: number;
  private readonly ledger: Journal;
  private readonly interruption: Interruption;
  private readonly router: RouterCalls;
  private readonly lease: LeaseKeeper;
  private readonly capacity: CapacityKeeper;
  private readonly checks: CheckCalls;
  private readonly plan: ShiftPlan;
  private readonly resume: ResumeCalls;
  private state: ShiftState = initialState;
  private asked: Asked | undefined;
  /** When the shift began that this run is about, in an earlier run perhaps. */
  private shiftStartedAt: number | undefined;
  /** When the weights that stand were written. */
  private standsSince: number;
  /** A write whose fate is not known. */
  private doubtful: { readonly weights: Weights; readonly rollback: boolean } | undefined;

  /** From when on counts when checks are asked again; unset where they were not asked since the last wait or write. */
  private paceFrom: number | undefined;
  /** When the checks of the live weights ran last. */
  private checkedAt = -Infinity;
  private readonly requests: RequestCalls;
  /** The lease was lost, which the machine has not received yet. */
  private lost: ShiftEvent | undefined;
  /** Wakes it from a wait. */
  private wake: (() => void) | undefined;

  public constructor(private readonly run: ShiftRun) {
    this.clock = run.clock ?? steadyClock();
    const wall = wallOf(this.clock);
    this.startedAt = this.clock.now();
    this.standsSince = this.startedAt;
    this.ledger = new Journal(run.plan, this.startedAt, wall, run.observer);
    this.interruption = new Interruption(run.signal, run.kill, run.interruptGraceMs);
    this.router = new RouterCalls(run.router, this.clock, this.interruption);
    this.lease = new LeaseKeeper(run.lease, this.clock, this.interruption, (event) => this.lose(event));
    const { checks, checkTimeoutMs = defaultCheckTimeoutMs } = run;
    const calls = {
      everyMs: run.plan.checkEveryMs,
      timeoutMs: checkTimeoutMs,
      onAnswer: () => this.wake?.(),
    };
    this.capacity = new CapacityKeeper(run.capacity, this.lease, () =>
      'course' in this.state
        ? recordOf(this.state.course, run.plan.wanted, this.state.course.live)
        : undefined,
    );
    // Where capacity moves first, a step waits until there is enough for all of it.
    this.plan = run.capacity ? { ...run.plan, wholeSteps: true } : run.plan;
    const all = [...this.capacity.checks, ...checks];
    this.checks = new CheckCalls(all, { ...calls, clock: this.clock, wall });
    const log = (text: string): void => this.ledger.addLog(this.clock.now(), text);
    this.resume = new ResumeCalls(run.resume, { ...calls, log });
    this.requests = new RequestCalls(run.requests, () => this.wake?.());
  }

  public async drive(): Promise<ShiftOutcome> {
    try {
      this.tell(await this.start());
      while (this.state.phase !== 'ended') {
        this.tell(await this.nextEvent());
      }
      const capacityProblem = await this.capacity.end(
        this.state,
        this.run.keepRecord === true,
        this.interruption,
      );
      await this.lease.settle();
      const problem = await this.lease.release(this.state, {
        at: wallOf(this.clock)(this.clock.now()),
        startedAt: this.shiftStartedAt,
        keepsRecord: this.run.keepRecord === true,
      });
      const texts = [capacityProblem, problem].filter((text) => text !== undefined);
      texts.forEach((text) => this.ledger.addLog(this.clock.now(), text));
      const more = { ...this.lease.persons, capacityProblem, leaseProblem: problem };
      return this.ledger.end(this.state, this.clock.now(), this.run, more);
    } finally {
      this.requests.close();
      this.closeCalls();
      this.interruption.dispose();
    }
  }

  private async start(): Promise<ShiftEvent> {
    const taken = await this.lease.acquire();
    if (taken === undefined || 'type' in taken) {
      return taken ?? this.stopping();
    }
    const { record, problem: unreadable } = taken.content;
    return { type: 'started', at: this.clock.now(), record, unreadable, ...startOf(this.run) };
  }

  private tell(event: ShiftEvent): void {
    const { state, actions } = next(this.plan, this.state, event);
    this.state = state;
    // What people say is on record at once: a run that goes on after a kill must not go against it.
    if ('course' in state && this.lease.notePersons(personsIn(state.course))) {
      this.keepOn(state.course);
    }
    this.shiftStartedAt = 'course' in state ? state.course.startedAt : this.shiftStartedAt;
    if (!asksChecks(state)) {
      this.closeCalls();
    }
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
      this.paceFrom = undefined;
      this.ledger.addWrite(event.at, doubtful.weights, doubtful.rollback);
      this.doubtful = undefined;
    }
  }

  /** Does what was asked for last; an interrupt goes before it. */
  private async nextEvent(): Promise<ShiftEvent> {
    const stops = this.interruption.killed || this.interruption.isNew;
    return (stops ? undefined : await this.answerTo(this.asked!)) ?? this.stopping();
  }

  /** What the machine has to hear before it gets what it waits for. */
  private news(): Promise<ShiftEvent | undefined> | ShiftEvent | undefined {
    const { lost, state, checks } = this;
    this.lost = undefined;
    return (
      lost ??
      this.requests.take(state, this.clock.now()) ??
      (isAboutToWrite(state) && checks.hasFailed ? this.check('after', undefined) : undefined)
    );
  }

  private stopping(): ShiftEvent {
    const type = this.interruption.killed ? 'killed' : 'interrupted';
    this.interruption.told = true;
    return { type, at: this.clock.now() };
  }

  /** @returns `undefined` where it was cut short */
  private async answerTo(action: Asked): Promise<ShiftEvent | undefined> {
    const news = this.news();
    if (news) {
      return news;
    }
    if (action.type !== 'record') {
      this.keepLease();
    }
    switch (action.type) {
      case 'read':
        return this.lease.during(this.router.read(), () => this.keepLease());
      case 'record':
        return this.lease.record(action.record);
      case 'write':
        this.doubtful = action;
        return this.lease.during(this.router.write(action.weights, action.expected), () => this.keepLease());
      case 'wait':
        return this.wait(action.until, action.retry);
      case 'check':
        return this.check(action.stage, action.next);
      case 'ask':
        return this.ask(action.place);
    }
  }

  private async wait(until: number, retry: boolean): Promise<ShiftEvent | undefined> {
    const { random = Math.random, plan } = this.run;
    const begun = this.clock.now();
    const again = this.paceFrom === undefined ? Infinity : this.paceFrom + plan.checkEveryMs;
    this.paceFrom = undefined;
    const end = retry ? begun + (until - begun) * (0.5 + random() / 2) : Math.min(until, again);
    for (let now = begun; now < end && !this.hasNews; now = this.clock.now()) {
      const next = Math.max(Math.min(this.leaseDueAt, this.watchDueAt), now + 1);
      const pause = Math.min(end, next) - now;
      await this.interruption.during(false, (signal) => this.sleep(pause, signal));
      if (this.interruption.killed || this.interruption.isNew) {
        return undefined;
      }
      this.keepLease();
      if (this.clock.now() >= this.watchDueAt) {
        return this.check('after', undefined);
      }
    }
    return { type: 'waited', at: this.clock.now() };
  }

  /** When the checks of the live weights are to run while a step is tried again. */
  private get watchDueAt(): number {
    const { state } = this;
    return isAboutToWrite(state) && state.course.index >= 0
      ? this.checkedAt + this.run.plan.checkEveryMs
      : Infinity;
  }

  /** Sleeps until something has answered at the latest. */
  private async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    signal.addEventListener('abort', this.wake);
    if (signal.aborted) {
      this.wake();
    }
    await this.clock.sleep(milliseconds, woken.signal);
    this.wake = undefined;
  }

  /** Whether there is what ends a wait: a lease that was lost, a check that has failed late, or what lets it go on. */
  private get hasNews(): boolean {
    const { lost, requests, state, checks, resume } = this;
    return lost !== undefined || requests.isFor(state) || endsWait(state, checks, resume, this.clock.now());
  }

  /** When the lease is to be made longer: not before the live weights are known, which its record needs. */
  private get leaseDueAt(): number {
    return 'course' in this.state ? this.lease.dueAt : Infinity;
  }

  /** Makes the lease last longer where that is due, beside everything else; the machine hears of it where it is lost. */
  private keepLease(): void {
    if (!('course' in this.state) || this.clock.now() < this.leaseDueAt) {
      return;
    }
    this.keepOn(this.state.course);
  }

  private keepOn(course: ShiftContext): void {
    void this.lease.keepOn(recordOf(course, this.run.plan.wanted, course.live)).then((event) => {
      if (event?.type === 'recordFailed') {
        this.ledger.addLog(event.at, event.message);
      } else if (event?.type === 'leaseTaken') {
        this.lose(event);
      }
    });
  }

  /** The machine hears of it before anything else. */
  private lose(event: ShiftEvent): void {
    this.lost = event;
    this.wake?.();
  }

  private async check(stage: CheckStage, weights: Weights | undefined): Promise<ShiftEvent | undefined> {
    if (!('course' in this.state)) {
      return undefined;
    }
    const { origin, live, baselines } = this.state.course;
    const ahead = weightsAhead(this.plan, this.state.course);
    const { plan } = this.run;
    const now = this.clock.now();
    const window = {
      stage,
      from: this.standsSince,
      to: now,
      startedAt: this.startedAt,
      origin,
      live,
      wanted: plan.wanted,
      writes: [...this.ledger.written],
      ...(weights ? { next: weights, ...(ahead && { ahead }) } : {}),
    };
    const dueAt = this.dueAt(stage);
    const round = await this.interruption.during(false, (signal) =>
      this.checks.ask(window, dueAt, signal, baselines),
    );
    if (this.interruption.killed || this.interruption.isNew) {
      return undefined;
    }
    this.checkedAt = stage === 'after' ? now : this.checkedAt;
    this.paceFrom ??= round.paceFrom;
    for (const { at, stage: of, result } of round.news) {
      this.ledger.addChecks(at, of, [result]);
    }
    const at = this.clock.now();
    // What was asked before it was due is evaluated as that, however long it took.
    const evaluatedAt = now < dueAt ? Math.min(at, dueAt - 1) : at;
    return { type: 'checked', at: evaluatedAt, stage, results: round.results };
  }

  /** From when on a check that passes lets it go on; infinity where checks only watch. */
  private dueAt(stage: CheckStage): number {
    const { state } = this;
    return state.phase === 'standing' || (state.phase === 'preparing' && stage === 'before')
      ? state.look.dueAt
      : Infinity;
  }

  private async ask(place: number): Promise<ShiftEvent | undefined> {
    const news = await this.interruption.during(false, (signal) => this.resume.ask(place, signal));
    const stops = this.interruption.killed || this.interruption.isNew;
    return stops ? undefined : { ...news, at: this.clock.now() };
  }

  private closeCalls(): void {
    this.checks.close();
    this.resume.close();
  }
}
