import type { Clock } from '../../../lib/core/async';
import type {
  Check,
  CheckResult,
  CheckStage,
  CheckWindow,
  Router,
  RouterFailure,
  ShiftObserver,
  ShiftOutcome,
  ShiftPlan,
  ShiftRun,
  ShiftSettings,
  Weights,
} from '../../../lib/shift/engine';
import { refuseChanged, RouterError, runShift, shiftPlan } from '../../../lib/shift/engine';
import type { LeaseMemory } from '../../../lib/shift/leases';
import { memoryLease } from '../../../lib/shift/leases';

export const minute = 60_000;

/** Time that passes only when everybody sleeps. */
export class FakeClock implements Clock {
  private time = Date.UTC(2030, 0, 1);
  private readonly sleepers: { at: number; wake: () => void }[] = [];
  private ticking = false;

  public now(): number {
    return this.time;
  }

  public advance(milliseconds: number): void {
    this.time += milliseconds;
  }

  public sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const sleeper = { at: this.time + milliseconds, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.remove(sleeper);
        resolve();
      });
      this.tickSoon();
    });
  }

  private tickSoon(): void {
    if (!this.ticking) {
      this.ticking = true;
      setImmediate(() => this.tick());
    }
  }

  private tick(): void {
    this.ticking = false;
    const [first] = this.sleepers.sort((one, other) => one.at - other.at);
    if (first) {
      this.remove(first);
      this.time = Math.max(this.time, first.at);
      first.wake();
      this.tickSoon();
    }
  }

  private remove(sleeper: { at: number; wake: () => void }): void {
    const index = this.sleepers.indexOf(sleeper);
    if (index >= 0) {
      this.sleepers.splice(index, 1);
    }
  }
}

/** `lost` did the write, but its answer never came. */
export type Fault = RouterFailure | 'lost';

/** A rule of a load balancer, with faults by the number of the call. */
export class FakeRule implements Router {
  public readonly writes: { at: number; weights: Weights }[] = [];
  public reads = 0;
  public writeCalls = 0;
  public onRead: (call: number) => Fault | undefined = () => undefined;
  public onWrite: (call: number, weights: Weights) => Fault | undefined = () => undefined;

  public constructor(
    public weights: Weights,
    private readonly clock: Clock,
    public readonly name = 'rule',
  ) {}

  public read(): Promise<Weights> {
    const fault = this.onRead(this.reads++);
    return fault ? Promise.reject(failure(fault, 'read')) : Promise.resolve(this.weights);
  }

  public write(weights: Weights, _signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const fault = this.onWrite(this.writeCalls++, weights);
    return Promise.resolve().then(() => {
      refuseChanged(this.name, this.weights, expected);
      if (!fault || fault === 'lost') {
        this.weights = weights;
        this.writes.push({ at: this.clock.now(), weights });
      }
      if (fault) {
        throw failure(fault, 'write');
      }
    });
  }

  /** Green's weights as they were written, repetitions left out. */
  public get green(): number[] {
    return changes(this.writes.map(({ weights }) => weights)).map((weights) => weights.green ?? 0);
  }
}

function failure(fault: Fault, what: string): RouterError {
  return new RouterError(fault === 'lost' ? 'unreachable' : fault, `${what} failed: ${fault}.`);
}

/** Writes without those that repeat the one before. */
export function changes(writes: readonly Weights[]): Weights[] {
  return writes.filter((weights, index) => JSON.stringify(weights) !== JSON.stringify(writes[index - 1]));
}

export function result(status: CheckResult['status'], reason: string = status): CheckResult {
  return { status, reason, figures: [] };
}

/** A check whose answer is a function of its window. */
export function check(
  answer: (window: CheckWindow) => CheckResult | CheckResult['status'],
  stages: readonly CheckStage[] = ['after'],
  name = 'errors',
): Check {
  return {
    name,
    stages,
    evaluate: (window) => {
      const given = answer(window);
      return Promise.resolve(typeof given === 'string' ? result(given) : given);
    },
  };
}

export const passing = check(() => 'pass');

export const all = (slot: 'blue' | 'green'): Weights =>
  slot === 'blue' ? { blue: 100, green: 0 } : { blue: 0, green: 100 };

export const bluePlan = (settings: ShiftSettings = {}, wanted: Weights = all('green')): ShiftPlan =>
  shiftPlan(['blue', 'green'], wanted, settings);

/** One rule, its time, its lease and its log. */
export class World {
  public readonly clock = new FakeClock();
  public readonly start = this.clock.now();
  public readonly rule: FakeRule;
  public readonly memory: LeaseMemory = {};
  private holders = 0;

  public constructor(live: Weights = all('blue')) {
    this.rule = new FakeRule(live, this.clock);
  }

  /** What a new process runs. */
  public process(settings: ShiftSettings | ShiftPlan, changes: Partial<ShiftRun> = {}): ShiftRun {
    const { clock, memory } = this;
    return {
      plan: 'everyMs' in settings ? settings : bluePlan(settings),
      router: this.rule,
      checks: [passing],
      lease: memoryLease({ memory, clock, holder: `process ${(this.holders += 1)}` }),
      clock,
      random: () => 1,
      ...changes,
    };
  }

  public run(settings: ShiftSettings | ShiftPlan, changes: Partial<ShiftRun> = {}): Promise<ShiftOutcome> {
    return runShift(this.process(settings, changes));
  }

  /** Minutes since the start. */
  public get minutes(): number {
    return (this.clock.now() - this.start) / minute;
  }
}

/** Does something when a line of the log says so. */
export function whenLogged(text: string, then: () => void): ShiftObserver {
  return { logged: (line) => (line.text.includes(text) ? then() : undefined) };
}
