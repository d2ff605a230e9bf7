import { formatDuration } from '../../core/durations';
import { stepMs } from './plan';
import type { ShiftPlan } from './plan';
import { furthestStep, plannedSteps } from './steps';
import type { ShiftStep } from './steps';
import type { Weights } from './weights';

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

/** The same, where the first step may give slots only so much: a step before it, and everything else a step later. */
export function scheduleWithin(planned: Schedule, plan: ShiftPlan, upTo: Weights): Schedule {
  const [first] = planned.steps;
  if (!first || Object.entries(upTo).every(([slot, bound]) => (first.weights[slot] ?? 0) <= bound)) {
    return planned;
  }
  const step = furthestStep(planned.from, planned.from, plan, upTo);
  const later = stepMs(plan);
  const leastMs = planned.leastMs + later;
  return {
    ...planned,
    steps: [
      { ...first, ...step },
      // A person who lets it go to the first step lets it go to all of it.
      ...planned.steps.map(({ pauseBefore, ...each }, index) => ({
        ...each,
        ...(index > 0 && pauseBefore !== undefined && { pauseBefore }),
        atMs: each.atMs + later,
      })),
    ],
    bakeFromMs: planned.bakeFromMs + later,
    leastMs,
    warnings: warningsOf(plan, leastMs),
  };
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
