import { capacityCheckName, initialState, next, refuseChanged, weightsAhead } from '../engine';
import type {
  CheckStage,
  CheckWindow,
  NamedResult,
  RouterError,
  ShiftAction,
  ShiftEnded,
  ShiftEvent,
  ShiftPlan,
  ShiftRecord,
  ShiftState,
  Weights,
  WeightsWritten,
} from '../engine';
import type { SimulatedCheck } from './checks';
import { SimulatedPrescaling } from './prescaling';
import { shownUtilization } from './workload-figures';
import type { World } from './world';

/** Watches a simulated shift; times are milliseconds since 1970. */
export interface SimulationObserver {
  checked?(at: number, stage: CheckStage, results: readonly NamedResult[]): void;
  logged?(at: number, text: string): void;
}

type ShiftWrite = Extract<ShiftAction, { type: 'write' }>;

/** The pods of one slot right after a write. */
export interface PodsAtStep {
  /** Pods that are ready. */
  readonly ready: number;
  /** CPU utilization of these: requests as a share of those that they can serve. */
  readonly utilization: number;
}

interface SimulatedWrite extends WeightsWritten {
  readonly rollback: boolean;
  /** By slot, of the slots with an autoscaler. */
  readonly pods: Readonly<Record<string, PodsAtStep>>;
}

/** What became of one simulated shift. */
export interface SimulatedShift {
  /** How it ended; unset where it was killed for good. */
  readonly ended: ShiftEnded | undefined;
  readonly writes: readonly SimulatedWrite[];
  /** When it decided that something has failed; unset if it did not. */
  readonly detectedAt: number | undefined;
  /** Requests that a bad slot had got by then. */
  readonly exposedAtDetection: number;
  /** Whether a slot was bad by then, with traffic or without. */
  readonly wasBad: boolean;
  /** Whether a check had failed then, and not only been inconclusive for too long. */
  readonly checkFailed: boolean;
}

/**
 * Runs the machine of a shift on a clock that stands still between its actions. A pause lasts no time: a person is
 * taken to say at once that it may go on.
 *
 * @param prescales whether it raises the minimums of autoscalers before each step
 */
export function runSimulated(
  plan: ShiftPlan,
  checks: readonly SimulatedCheck[],
  world: World,
  observer: SimulationObserver = {},
  prescales = false,
): SimulatedShift {
  const prescaling = prescales ? new SimulatedPrescaling(world.workloads) : undefined;
  return new SimulatedRun(plan, checks, world, observer, prescaling).toItsEnd();
}

/** Far more than a shift of a week, with checks every few seconds, can have. */
const mostEvents = 1e6;

class SimulatedRun {
  private state: ShiftState = initialState;
  private action: ShiftAction = { type: 'log', text: '' };
  private readonly writes: SimulatedWrite[] = [];
  private writesOfRun: WeightsWritten[] = [];
  private record: ShiftRecord | undefined;
  private runStartedAt: number;
  private interruptAt: number;
  private killAt: number;
  private detectedAt: number | undefined;
  private exposedAtDetection: number | undefined;
  private checkFailed = false;
  private wasBad = false;

  public constructor(
    private readonly plan: ShiftPlan,
    private readonly checks: readonly SimulatedCheck[],
    private readonly world: World,
    private readonly observer: SimulationObserver,
    private readonly prescaling: SimulatedPrescaling | undefined,
  ) {
    this.runStartedAt = world.startedAt;
    this.interruptAt = world.startedAt + world.conditions.interruptAtMs;
    this.killAt = world.startedAt + world.conditions.killAtMs;
  }

  public toItsEnd(): SimulatedShift {
    this.start();
    for (let events = 0; this.state.phase !== 'ended'; events += 1) {
      if (events > mostEvents) {
        throw new Error(`a simulated shift did not end after ${mostEvents} events`);
      }
      if (this.world.now >= this.killAt && !this.startAgain()) {
        break;
      }
      const event = this.perform(this.action);
      if (event) {
        this.tell(event);
      }
    }
    if (this.state.phase === 'ended' && this.state.end.finished) {
      this.prescaling?.giveBack();
    }
    const { detectedAt, exposedAtDetection = 0 } = this;
    return {
      ended: this.state.phase === 'ended' ? this.state : undefined,
      writes: this.writes,
      detectedAt,
      exposedAtDetection,
      wasBad: this.wasBad,
      checkFailed: this.checkFailed,
    };
  }

  private start(): void {
    const { record } = this;
    this.runStartedAt = this.world.now;
    this.writesOfRun = [];
    this.tell({ type: 'started', at: this.world.now, ...(record ? { record } : {}) });
  }

  /** The process is gone; what it knew is gone with it, save for the record. */
  private startAgain(): boolean {
    const { resumesAfterMs } = this.world.conditions;
    this.killAt = Infinity;
    if (resumesAfterMs === undefined) {
      return false;
    }
    this.world.advance(this.world.now + resumesAfterMs);
    this.state = initialState;
    this.start();
    return true;
  }

  private tell(event: ShiftEvent): void {
    const { state, actions } = next(this.plan, this.state, event);
    const decides = hasFailed(state) && !hasFailed(this.state) && event.type !== 'interrupted';
    this.state = state;
    for (const action of actions) {
      if (action.type === 'log') {
        this.observer.logged?.(event.at, action.text);
      } else {
        this.action = action;
      }
    }
    if (decides && this.detectedAt === undefined) {
      this.detectedAt = event.at;
      this.checkFailed = event.type === 'checked' && event.results.some(({ status }) => status === 'fail');
      this.wasBad = this.world.traffic.wasAnyBad;
      this.exposedAtDetection = this.world.traffic.exposure.requests;
    }
  }

  /** Does what the machine asks for; undefined where a kill cut it. */
  private perform(action: ShiftAction): ShiftEvent | undefined {
    const { world } = this;
    switch (action.type) {
      case 'read':
        return world.throttles()
          ? this.throttled('Reading')
          : { type: 'live', at: world.now, weights: world.weights };
      case 'record':
        this.record = action.record;
        return { type: 'recorded', at: world.now };
      case 'write':
        return this.write(action);
      case 'wait':
        return this.wait(action.until);
      case 'check':
        return this.check(action.stage, action.next);
      case 'ask':
        return { type: 'resumed', at: world.now };
      case 'log':
        return undefined;
    }
  }

  private write({ weights, expected, rollback }: ShiftWrite): ShiftEvent | undefined {
    const { world } = this;
    if (world.throttles()) {
      return this.throttled('Writing');
    }
    world.advance(world.now + world.conditions.writeTakesMs);
    try {
      refuseChanged('the router', world.weights, expected);
    } catch (error) {
      const { failure, message, live } = error as RouterError;
      return { type: 'routerFailed', at: world.now, failure, message, live };
    }
    world.weigh(weights);
    this.writes.push({ at: world.now, weights, rollback, pods: podsNow(world) });
    this.writesOfRun.push({ at: world.now, weights });
    return { type: 'written', at: world.now };
  }

  private throttled(what: string): ShiftEvent {
    return {
      type: 'routerFailed',
      at: this.world.now,
      failure: 'throttled',
      message: `${what} the weights was throttled.`,
    };
  }

  private wait(until: number): ShiftEvent | undefined {
    const { world } = this;
    if (Math.min(this.interruptAt, this.killAt) > until) {
      world.advance(until);
      return { type: 'waited', at: world.now };
    }
    if (this.killAt <= this.interruptAt) {
      world.advance(this.killAt);
      return undefined;
    }
    world.advance(this.interruptAt);
    this.interruptAt = Infinity;
    return { type: 'interrupted', at: world.now };
  }

  private check(stage: CheckStage, nextWeights: Weights | undefined): ShiftEvent | undefined {
    if (!('course' in this.state)) {
      return undefined;
    }
    const { world } = this;
    const { origin, live, baselines } = this.state.course;
    const ahead = weightsAhead(this.plan, this.state.course);
    const window: CheckWindow = {
      stage,
      from: this.writesOfRun.at(-1)?.at ?? this.runStartedAt,
      to: world.now,
      startedAt: this.runStartedAt,
      origin,
      live,
      wanted: this.plan.wanted,
      ...(nextWeights ? { next: nextWeights, ...(ahead && { ahead }) } : {}),
      writes: this.writesOfRun,
    };
    const results: NamedResult[] = [];
    if (this.prescaling !== undefined && nextWeights !== undefined) {
      results.push({ name: capacityCheckName, ...this.prescaling.prepare({ ...window, next: nextWeights }) });
    }
    for (const check of this.checks) {
      if (check.stages.includes(stage)) {
        const baseline = baselines?.[check.name];
        const result = check.evaluate(baseline ? { ...window, baseline } : window, world);
        results.push({ ...result, name: check.name });
      }
    }
    this.observer.checked?.(world.now, stage, results);
    return { type: 'checked', at: world.now, stage, results };
  }
}

/** Whether it takes the traffic back, or ends without having done what it was to do. */
function hasFailed(state: ShiftState): boolean {
  return state.phase === 'returning' || (state.phase === 'ending' && state.end.verdict !== 'completed');
}

function podsNow({ workloads, traffic, conditions }: World): SimulatedWrite['pods'] {
  return Object.fromEntries(
    Object.entries(workloads).map(([slot, workload]) => {
      const utilization = workload.utilization(traffic.perMs(conditions.names.indexOf(slot)));
      return [slot, { ready: workload.ready, utilization: shownUtilization(utilization) }];
    }),
  );
}
