import { Xoshiro128, derivedSeed } from '../../core/random';
import type { Random } from '../../core/random';
import type { Weights } from '../engine';
import type { SlotCount } from '../evaluation';
import { Workload } from './autoscaler';
import type { SimulatedConditions, MetricConditions } from './conditions';
import { requestsPerPod } from './conditions';
import { ErrorBursts, Traffic, minuteMs } from './traffic';

/** Sums of a slot over some minutes. */
export interface Sums {
  requests: number;
  errors: number;
  slow: number;
  /** Minutes that had figures. */
  minutes: number;
}

const slotsAtMost = 8;

/** What metrics show of the traffic, and when. Its faults depend on nothing but the seed and the time. */
class MetricSource {
  public constructor(
    private readonly traffic: Traffic,
    private readonly startedAt: number,
    private readonly seed: number,
    private readonly conditions: MetricConditions,
  ) {}

  /** Whether a question at this time is answered with an error. */
  public fails(at: number): boolean {
    const { failing } = this.conditions;
    const since = at - this.startedAt;
    return (
      failing !== undefined &&
      since >= failing.fromMs &&
      since < failing.untilMs &&
      this.chance(1, Math.floor(since / failing.lastsMs)) < failing.share
    );
  }

  /** Position after the newest minute whose figures are there, in `traffic.counts`. */
  public shownUntil(at: number): number {
    return Math.max(0, this.traffic.minuteOf(at - this.conditions.delayMs));
  }

  /** Whether the figures of a minute never come. */
  public isMissing(slot: number, minute: number): boolean {
    const { missing } = this.conditions;
    return missing > 0 && this.chance(2, minute * slotsAtMost + slot) < missing;
  }

  /** How many successful answers of a minute are not counted yet at this time. */
  public lateAnswers(slot: number, minute: number, at: number): number {
    const { late } = this.conditions;
    if (late === undefined) {
      return 0;
    }
    const since = at - this.traffic.startOf(minute + 1);
    const { requests, errors } = this.traffic.counts[slot]!;
    return since < late.lastsMs && since < this.chance(3, minute * slotsAtMost + slot) * late.lastsMs
      ? Math.round(late.share * (requests[minute]! - errors[minute]!))
      : 0;
  }

  /** From when on every answer of a minute is counted, as long after its end. */
  public get lateMs(): number {
    return this.conditions.late?.lastsMs ?? 0;
  }

  /** The position of the first minute that begins at this time or after it. */
  public firstWhole(from: number): number {
    return Math.max(0, Math.ceil((from - this.traffic.startOf(0)) / minuteMs));
  }

  /** Sums of a slot over the minutes from one position up to another, as far as they have figures. */
  public sums(slot: number, from: number, until: number): Sums {
    const { requests, errors, slow } = this.traffic.counts[slot]!;
    const sums = { requests: 0, errors: 0, slow: 0, minutes: 0 };
    for (let minute = from; minute < until; minute += 1) {
      if (!this.isMissing(slot, minute)) {
        sums.requests += requests[minute]!;
        sums.errors += errors[minute]!;
        sums.slow += slow[minute]!;
        sums.minutes += 1;
      }
    }
    return sums;
  }

  private chance(kind: number, position: number): number {
    return derivedSeed(derivedSeed(this.seed, kind), position) / 2 ** 32;
  }
}

/**
 * The pods as they are before the shift: as many as the traffic of the slot needs, and no change under way. When an
 * autoscaler looks is drawn.
 */
function workloadsOf(
  conditions: SimulatedConditions,
  live: Weights,
  now: number,
  random: Random,
): Readonly<Record<string, Workload>> {
  const { names, slots, perSecond } = conditions;
  const workloads: Record<string, Workload> = {};
  const measured = requestsPerPod(conditions, live);
  names.forEach((name, index) => {
    const { autoscaler } = slots[index]!;
    const phase = random.uniform();
    if (autoscaler) {
      const { minReplicas, maxReplicas, targetUtilization, syncMs } = autoscaler;
      const perPod = autoscaler.requestsPerPod ?? measured!;
      const needed = (perSecond.value.perSecond * (live[name] ?? 0)) / 100 / (perPod * targetUtilization);
      const steady = Math.min(maxReplicas, Math.max(minReplicas, Math.ceil(needed)));
      const firstLook = now + Math.ceil(phase * syncMs);
      workloads[name] = new Workload(autoscaler, perPod, autoscaler.replicas ?? steady, now, firstLook);
    }
  });
  return workloads;
}

/** A Monday; at which second of a minute a shift begins is drawn. */
const firstStart = Date.UTC(2026, 0, 5);

/**
 * What a shift meets in a simulation: traffic that follows the weights, metrics that show it late, a load balancer that
 * fails at times. Times are milliseconds since 1970. The same conditions and seed have the same bursts and faults,
 * whatever the shift does.
 */
export class World {
  /** When the shift begins, in milliseconds since 1970. */
  public readonly startedAt: number;
  /** The requests, and what becomes of them. */
  public readonly traffic: Traffic;
  /** The metrics, as the shift's checks are told them. */
  public readonly source: MetricSource;
  /** The pods of each slot that has an autoscaler, by name. */
  public readonly workloads: Readonly<Record<string, Workload>>;
  private readonly faults: Xoshiro128;
  private readonly own: Xoshiro128;
  private readonly foreignAt: number;
  private time: number;
  private live: Weights;

  public constructor(
    /** What happens, and when. */
    public readonly conditions: SimulatedConditions,
    live: Weights,
    seed: number,
    /** How much of the time before the start metrics know of. */
    historyMinutes = 0,
  ) {
    const stream = (part: number) => Xoshiro128.fromSeed(derivedSeed(seed, part));
    this.faults = stream(0);
    this.own = stream(5);
    this.startedAt = firstStart + Math.floor(this.faults.uniform() * minuteMs);
    this.time = this.startedAt;
    const { names, errorShare, bursts, metrics, foreignWrite } = conditions;
    const errorBursts = new ErrorBursts(names.length, errorShare, bursts, stream(1));
    const firstRequest = this.startedAt - historyMinutes * minuteMs;
    this.workloads = workloadsOf(conditions, live, firstRequest, stream(4));
    this.traffic = new Traffic(
      conditions,
      errorBursts,
      stream(2),
      this.startedAt,
      firstRequest,
      names.map((name) => this.workloads[name]),
    );
    this.source = new MetricSource(this.traffic, this.startedAt, derivedSeed(seed, 3), metrics);
    this.foreignAt = this.startedAt + (foreignWrite?.atMs ?? Infinity);
    this.live = live;
    this.weigh(live);
    this.traffic.advance(this.startedAt);
  }

  /** The time in this world, in milliseconds since 1970. */
  public get now(): number {
    return this.time;
  }

  /** Live weights. */
  public get weights(): Weights {
    return this.live;
  }

  /** Own requests of the shift, as many to each of these slots, that have come since `at`. */
  public probe(slots: readonly string[], at: number, requests: number): readonly SlotCount[] {
    return slots.map((slot) => ({
      slot,
      at,
      requests,
      ...this.traffic.probe(this.conditions.names.indexOf(slot), requests, this.own),
    }));
  }

  /** Lets time pass, until then. */
  public advance(to: number): void {
    if (this.time < this.foreignAt && to >= this.foreignAt) {
      this.pass(this.foreignAt);
      this.weigh(this.conditions.foreignWrite!.weights);
    }
    this.pass(to);
  }

  /** New weights, from now on. */
  public weigh(weights: Weights): void {
    this.live = weights;
    this.traffic.weigh(this.conditions.names.map((slot) => weights[slot] ?? 0));
  }

  /** Whether a call to the load balancer is throttled. */
  public throttles(): boolean {
    const { throttled } = this.conditions;
    return throttled > 0 && this.faults.uniform() < throttled;
  }

  private pass(to: number): void {
    if (to > this.time) {
      this.traffic.advance(to);
      this.time = to;
    }
  }
}
