import type { MetricConditions } from './conditions';
import { derivedSeed } from './random';
import { minuteMs } from './traffic';
import type { Traffic } from './traffic';

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
export class MetricSource {
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
