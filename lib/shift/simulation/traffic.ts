import type { Random } from '../../core/random';
import type { Workload } from './autoscaler';
import { valueAt } from './conditions';
import type { SimulatedConditions } from './conditions';
import { beta, binomial, poisson } from './random';
import type { Bursts, SlotBehaviour } from './scenario';

/** Length of the periods that metrics come in, in milliseconds. */
export const minuteMs = 60_000;

/** What one slot did, minute by minute. */
export interface SlotCounts {
  readonly requests: number[];
  readonly errors: number[];
  readonly slow: number[];
}

/** Requests at slots while they were bad, since the start. */
export interface Exposure {
  /** When the first one could come; unset until then. */
  since: number | undefined;
  requests: number;
  failed: number;
  slow: number;
}

/** What becomes of requests to one slot. */
interface RequestFate {
  /** Share of them that its capacity is enough for. */
  readonly served: number;
  readonly errorShare: number;
  readonly slowShare: number;
}

interface SlotState {
  weight: number;
  doing: Required<SlotBehaviour>;
  /** Whether what it does makes it a bad slot, whatever its traffic is. */
  isBad: boolean;
  /** When its first request can come; it stays unset until then. */
  servesFrom: number | undefined;
}

/** The requests of one simulated shift. Times are milliseconds since 1970, and only go forward. */
export class Traffic {
  public readonly counts: readonly SlotCounts[];
  public readonly exposure: Exposure = { since: undefined, requests: 0, failed: 0, slow: 0 };
  /** Requests and failed ones of all slots since the start. */
  public readonly total = { requests: 0, failed: 0 };
  private readonly slots: SlotState[];
  private readonly firstMinute: number;
  private minute = 0;
  private ofAll = 0;
  private nextChange = 0;
  private changeAt = -Infinity;
  private hadBadSlot = false;

  public constructor(
    private readonly conditions: SimulatedConditions,
    private readonly bursts: ErrorBursts,
    private readonly random: Random,
    private readonly startedAt: number,
    /** When the first request can come, before the start perhaps. */
    private now = startedAt,
    /** By slot; unset where no autoscaler decides about its pods. */
    private readonly workloads: readonly (Workload | undefined)[] = [],
  ) {
    this.firstMinute = Math.floor(now / minuteMs);
    this.counts = conditions.slots.map(() => ({ requests: [0], errors: [0], slow: [0] }));
    this.slots = conditions.slots.map(({ doing }) => ({
      weight: 0,
      doing: doing.value,
      isBad: false,
      servesFrom: undefined,
    }));
    this.change();
  }

  /** Position in `counts` of the minute of this time. */
  public minuteOf(at: number): number {
    return Math.floor(at / minuteMs) - this.firstMinute;
  }

  /** When the minute at this position begins. */
  public startOf(minute: number): number {
    return (minute + this.firstMinute) * minuteMs;
  }

  /** New weights, in percent, from the time on that it was advanced to. */
  public weigh(weights: readonly number[]): void {
    this.slots.forEach((slot, index) => {
      slot.weight = weights[index]!;
      if (slot.weight > 0) {
        slot.servesFrom ??= this.now;
      }
      if (this.now >= this.startedAt) {
        this.workloads[index]?.note(this.perMs(index));
      }
    });
  }

  /** Requests in a millisecond that come to a slot now, in the mean. */
  public perMs(slot: number): number {
    return (this.ofAll * this.slots[slot]!.weight) / 100;
  }

  /**
   * Own requests of the shift to one slot, which come now, past the weights. Visitors' figures are without them, and so is
   * what visitors meet; a slot that was cold begins to warm up.
   *
   * @param random of its own: visitors meet the same whatever the shift sends
   */
  public probe(
    index: number,
    requests: number,
    random: Random,
  ): { readonly errors: number; readonly slow: number } {
    const slot = this.slots[index]!;
    slot.servesFrom ??= this.now;
    const { errorShare, slowShare } = this.fate(index, slot, this.perMs(index));
    const { probesLost } = this.conditions;
    return {
      errors: binomial(random, requests, 1 - (1 - errorShare) * (1 - probesLost)),
      slow: binomial(random, requests, slowShare),
    };
  }

  /** Whether a slot is bad, or was since the start, with traffic or without: a check may see it late. */
  public get wasAnyBad(): boolean {
    return this.hadBadSlot || this.slots.some(({ isBad }) => isBad);
  }

  /** How often conditions have changed; targets stay the same in between. */
  public get changes(): number {
    return this.workloads.reduce((sum, workload) => sum + (workload?.changes ?? 0), this.nextChange);
  }

  /** Targets of a slot now. A pod is registered when it is ready. */
  public targets(slot: number): { readonly registered: number; readonly healthy: number } {
    const ready = this.workloads[slot]?.ready;
    if (ready !== undefined) {
      return { registered: ready, healthy: ready };
    }
    const { targets, healthyTargets } = this.slots[slot]!.doing;
    return { registered: targets, healthy: Math.min(targets, healthyTargets) };
  }

  /** Lets requests come until then. */
  public advance(to: number): void {
    while (this.now < to) {
      const minuteEnd = this.startOf(this.minute + 1);
      const changeAt = Math.min(this.startedAt + this.changeAt, this.warmAt(), this.podsChangeAt());
      this.pass(Math.min(to, minuteEnd, changeAt));
      if (this.now >= minuteEnd) {
        this.minute += 1;
        this.bursts.next();
        for (const { requests, errors, slow } of this.counts) {
          requests.push(0);
          errors.push(0);
          slow.push(0);
        }
      }
      if (this.now >= this.startedAt + this.changeAt) {
        this.change();
      }
      for (const workload of this.workloads) {
        if (workload !== undefined && this.now >= workload.changesAt) {
          workload.change(this.now);
        }
      }
    }
  }

  /** When the number of pods can change the next time. */
  private podsChangeAt(): number {
    let found = Infinity;
    for (const workload of this.workloads) {
      found = Math.min(found, workload?.changesAt ?? Infinity);
    }
    return found;
  }

  /** When the next slot is cold no more. */
  private warmAt(): number {
    let found = Infinity;
    this.slots.forEach(({ servesFrom }, index) => {
      const { cold } = this.conditions.slots[index]!;
      if (cold && servesFrom !== undefined && servesFrom + cold.lastsMs > this.now) {
        found = Math.min(found, servesFrom + cold.lastsMs);
      }
    });
    return found;
  }

  private change(): void {
    const at = this.now - this.startedAt;
    this.ofAll = valueAt(this.conditions.perSecond, at).perSecond / 1000;
    this.slots.forEach((slot, index) => {
      slot.doing = valueAt(this.conditions.slots[index]!.doing, at);
      slot.isBad = isBad(slot.doing, this.conditions);
    });
    this.hadBadSlot ||= at >= 0 && this.slots.some((slot) => slot.isBad);
    const { changesAt } = this.conditions;
    while (changesAt[this.nextChange]! <= at) {
      this.nextChange += 1;
    }
    this.changeAt = changesAt[this.nextChange]!;
  }

  /** Requests until then, with nothing that changes on the way. */
  private pass(until: number): void {
    const time = until - this.now;
    for (let index = 0; index < this.slots.length; index += 1) {
      const slot = this.slots[index]!;
      const perMs = this.perMs(index);
      if (this.now >= this.startedAt && time > 0) {
        this.workloads[index]?.note(perMs);
      }
      if (slot.weight > 0) {
        this.serve(index, slot, perMs, time);
      }
    }
    this.now = until;
  }

  /** What becomes of a request to a slot now, at this load. */
  private fate(index: number, { doing, servesFrom }: SlotState, perMs: number): RequestFate {
    const { cold } = this.conditions.slots[index]!;
    const isCold = cold !== undefined && this.now < (servesFrom ?? this.now) + cold.lastsMs;
    const capacity = (this.workloads[index]?.capacity ?? doing.capacity) / 1000;
    const served = perMs > 0 ? Math.min(1, capacity / perMs) : capacity > 0 ? 1 : 0;
    const wanted = isCold ? (cold.errorShare ?? doing.errorShare) : doing.errorShare;
    const usual = withBurst(wanted, this.conditions.errorShare, this.bursts.shares[index]!);
    return {
      served,
      errorShare: 1 - (1 - usual) * served,
      slowShare: isCold ? (cold.slowShare ?? doing.slowShare) : doing.slowShare,
    };
  }

  private serve(index: number, slot: SlotState, perMs: number, time: number): void {
    const workload = this.workloads[index];
    const { served, errorShare, slowShare } = this.fate(index, slot, perMs);

    const requests = poisson(this.random, perMs * time);
    const errors = binomial(this.random, requests, errorShare);
    const slow = binomial(this.random, requests, slowShare);
    workload?.serve(requests, time);
    const counts = this.counts[index]!;
    counts.requests[this.minute]! += requests;
    counts.errors[this.minute]! += errors;
    counts.slow[this.minute]! += slow;
    if (this.now < this.startedAt) {
      return;
    }
    this.total.requests += requests;
    this.total.failed += errors;
    if (slot.isBad || served < 1) {
      this.exposure.since ??= this.now;
      this.exposure.requests += requests;
      this.exposure.failed += errors;
      this.exposure.slow += slow;
    }
  }
}

/** Whether something is wrong with a slot that a check can find, in its answers, its targets or its cluster. */
function isBad(doing: Required<SlotBehaviour>, every: SimulatedConditions): boolean {
  const { errorShare, slowShare, capacity, targets, healthyTargets, vitals } = doing;
  return (
    errorShare > every.errorShare ||
    slowShare > every.slowShare ||
    capacity === 0 ||
    targets === 0 ||
    healthyTargets < targets ||
    Object.values(vitals).some((affected) => affected > 0)
  );
}

/** The share that a slot's own faults and the burst of every slot make together. */
function withBurst(own: number, usual: number, burst: number): number {
  if (own <= usual) {
    return usual > 0 ? (burst * own) / usual : 0;
  }
  return 1 - ((1 - burst) * (1 - own)) / (1 - usual);
}

/** The share of errors that each slot has anyway, minute by minute. */
export class ErrorBursts {
  /** By slot. */
  public readonly shares: number[];
  private readonly alpha: number;
  private readonly betaShape: number;

  /**
   * @param mean the share in the long run
   * @param bursts unset: it is the mean, always
   */
  public constructor(
    slots: number,
    private readonly mean: number,
    private readonly bursts: Bursts | undefined,
    private readonly random: Random,
  ) {
    this.shares = Array.from({ length: slots }, () => mean);
    // The correlation of two requests of a beta-binomial is 1 / (alpha + beta + 1).
    const sum = bursts ? 1 / bursts.dispersion - 1 : 0;
    this.alpha = mean * sum;
    this.betaShape = (1 - mean) * sum;
    this.draw();
  }

  /** Goes on to the next minute. */
  public next(): void {
    if (this.bursts && this.random.uniform() >= (this.bursts.persistence ?? 0)) {
      this.draw();
    }
  }

  private draw(): void {
    if (!this.bursts || this.mean <= 0 || this.mean >= 1) {
      return;
    }
    const shared = this.bursts.shared === true;
    for (let slot = 0; slot < this.shares.length; slot += 1) {
      this.shares[slot] =
        shared && slot > 0 ? this.shares[0]! : beta(this.random, this.alpha, this.betaShape);
    }
  }
}
