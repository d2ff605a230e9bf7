import type { Weights } from '../shift';
import { ErrorBursts } from './bursts';
import type { Conditions } from './conditions';
import { MetricSource } from './metric-source';
import { Xoshiro128, derivedSeed } from './random';
import { Traffic, minuteMs } from './traffic';

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
  private readonly faults: Xoshiro128;
  private readonly foreignAt: number;
  private time: number;
  private live: Weights;

  public constructor(
    /** What happens, and when. */
    public readonly conditions: Conditions,
    live: Weights,
    seed: number,
    /** How much of the time before the start metrics know of. */
    historyMinutes = 0,
  ) {
    const stream = (part: number) => Xoshiro128.fromSeed(derivedSeed(seed, part));
    this.faults = stream(0);
    this.startedAt = firstStart + Math.floor(this.faults.uniform() * minuteMs);
    this.time = this.startedAt;
    const { names, errorShare, bursts, metrics, foreignWrite } = conditions;
    const errorBursts = new ErrorBursts(names.length, errorShare, bursts, stream(1));
    const firstRequest = this.startedAt - historyMinutes * minuteMs;
    this.traffic = new Traffic(conditions, errorBursts, stream(2), this.startedAt, firstRequest);
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
