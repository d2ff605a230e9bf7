import { formatDuration } from '../../core/durations';
import { stepMs } from './plan';
import type { ShiftPlan } from './plan';
import type { Weights } from './weights';

/** One change of the weights. */
export interface ShiftStep {
  /** Where it is on the way, in percent. */
  readonly percent: number;
  /** Weights of every slot from then on. */
  readonly weights: Weights;
}

/**
 * The weights that a shift writes, in order, from these live weights on; none where they are the wanted ones.
 *
 * Every step's weights are whole percents that add up to 100, every slot goes only towards its wanted weight, and
 * several slots go in proportion. A step that would repeat the weights before it is left out.
 */
export function stepsBetween(live: Weights, plan: ShiftPlan): Weights[] {
  return plannedSteps(live, plan).map((step) => step.weights);
}

/** The steps from these weights to the wanted ones, with their places. */
export function plannedSteps(live: Weights, plan: ShiftPlan): ShiftStep[] {
  const gaining = new Apportionment();
  const losing = new Apportionment();
  for (const slot of plan.slots) {
    const change = (plan.wanted[slot] ?? 0) - (live[slot] ?? 0);
    if (change > 0) {
      gaining.add(slot, change);
    } else if (change < 0) {
      losing.add(slot, -change);
    }
  }
  const way: ShiftStep[] = [];
  for (const percent of plan.places) {
    const moved = Math.round((gaining.sum * percent) / 100);
    if (moved > gaining.given) {
      gaining.giveUpTo(moved);
      losing.giveUpTo(moved);
      const weights: Record<string, number> = {};
      for (const slot of plan.slots) {
        weights[slot] = (live[slot] ?? 0) + gaining.of(slot) - losing.of(slot);
      }
      way.push({ percent, weights });
    }
  }
  return way;
}

/** Whether two sets of weights are the same for these slots; one that is missing has 0, and others do not count. */
export function sameWeights(slots: readonly string[], one: Weights, other: Weights): boolean {
  for (const slot of slots) {
    if ((one[slot] ?? 0) !== (other[slot] ?? 0)) {
      return false;
    }
  }
  return true;
}

/**
 * Hands out percents in proportion to what each slot gets in the end, by the method of Webster and Sainte-Laguë.
 * Rounding every step for itself (largest remainders) could take a percent back that a slot has had already; a
 * divisor method never does, and the last step is exact.
 *
 * @see Balinski, Young: Fair Representation, 2nd edition 2001, chapter 5 and appendix A
 */
class Apportionment {
  public sum = 0;
  public given = 0;
  private readonly slots: string[] = [];
  private readonly whole: number[] = [];
  private readonly had: number[] = [];

  public add(slot: string, percents: number): void {
    this.slots.push(slot);
    this.whole.push(percents);
    this.had.push(0);
    this.sum += percents;
  }

  public giveUpTo(percents: number): void {
    for (; this.given < percents; this.given += 1) {
      let best = 0;
      for (let index = 1; index < this.slots.length; index += 1) {
        if (this.claim(index) > this.claim(best)) {
          best = index;
        }
      }
      this.had[best]! += 1;
    }
  }

  public of(slot: string): number {
    return this.had[this.slots.indexOf(slot)] ?? 0;
  }

  private claim(index: number): number {
    return this.whole[index]! / (2 * this.had[index]! + 1);
  }
}

/** When a shift does what at the earliest. Times are milliseconds since its start. */
export interface Schedule {
  /** Live weights at the start. */
  readonly from: Weights;
  /** Wanted weights. */
  readonly to: Weights;
  /** Every write, in order; the last one is of the wanted weights. */
  readonly steps: readonly ScheduledStep[];
  /** When the bake begins: the last step has been live for its time. */
  readonly bakeFromMs: number;
  /** The least time of the whole, without pauses and without checks that have to be asked again. */
  readonly leastMs: number;
  /** What a person should know of these settings, one line each. */
  readonly warnings: readonly string[];
}

/** One write of the weights. */
export interface ScheduledStep {
  /** The earliest time of the write. */
  readonly atMs: number;
  /** Where it is on the way, in percent. */
  readonly percent: number;
  /** Weights of every slot from then on. */
  readonly weights: Weights;
  /** Place of the pause that comes before it; times after it count as if it lasted no time. */
  readonly pauseBefore?: number;
}

/** Where a shift is on its way. */
export interface OnTheWay {
  /** All steps. */
  readonly way: readonly ShiftStep[];
  /** Which of them is live; -1 before the first. */
  readonly index: number;
}

/**
 * The earliest time of every write of a shift that starts at these live weights.
 *
 * @param on where it goes on, if it does not begin: the weights of a step that is live are checked once more first
 * @param resumedTo place of the last pause that it may go beyond
 */
export function schedule(
  live: Weights,
  plan: ShiftPlan,
  { way, index }: OnTheWay = { way: plannedSteps(live, plan), index: -1 },
  resumedTo = -1,
): Schedule {
  const standsMs = index < 0 ? 0 : stepMs(plan);
  const steps = way.slice(index + 1).map(({ percent: place, weights }, after): ScheduledStep => {
    const pauseBefore = pauseBetween(plan, way[index + after]?.percent ?? 0, place);
    return {
      atMs: standsMs + after * stepMs(plan),
      percent: place,
      weights,
      ...(pauseBefore === undefined || pauseBefore <= resumedTo ? {} : { pauseBefore }),
    };
  });
  const bakeFromMs = standsMs + steps.length * stepMs(plan);
  const leastMs = bakeFromMs === 0 ? 0 : bakeFromMs + plan.bakeMs;
  return { from: live, to: plan.wanted, steps, bakeFromMs, leastMs, warnings: warningsOf(plan, leastMs) };
}

/** The last pause at `from` or after it and before `to`. */
export function pauseBetween(plan: ShiftPlan, from: number, to: number): number | undefined {
  let found: number | undefined;
  for (const pause of plan.pauses) {
    if (pause >= from && pause < to) {
      found = pause;
    }
  }
  return found;
}

/** What a person should know of a plan whose whole takes this long, one line each. */
export function warningsOf(plan: ShiftPlan, leastMs: number): string[] {
  const lines: string[] = [];
  if (plan.unchecked === true && leastMs > 0) {
    lines.push(
      'there are no checks: the shift goes on whatever the new weights do, and takes no traffic back',
    );
  }
  if (plan.everyMs < plan.leastWaitMs) {
    lines.push(
      `every is ${duration(plan.everyMs)}, but traffic follows new weights only after ${duration(plan.leastWaitMs)} ` +
        '(stickiness, deregistration delay or TTL): checks see less of a step than it will get',
    );
  }
  if (plan.deadlineMs !== null && plan.deadlineMs < leastMs) {
    lines.push(
      `the deadline of ${duration(plan.deadlineMs)} is shorter than the least time of ${duration(leastMs)}: ` +
        'the shift would fail',
    );
  }
  return lines;
}

function duration(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds));
}
