import type { ShiftSettings } from './settings';
import type { Weights } from './weights';

/** In percent of the way. test/docs/default-steps.test.ts names the texts that list them. */
const geometric: readonly number[] = [1, 2, 5, 10, 25, 50, 100];

const wholeWay = 100;

/** Places on the way, in percent, that a setting gives: rising, 100 at the end. */
export function placesOf({ step = 'geometric', firstStep }: ShiftSettings): readonly number[] {
  if (step === 'geometric') {
    return geometric;
  }
  if (typeof step !== 'number') {
    return step.at(-1) === wholeWay ? [...step] : [...step, wholeWay];
  }
  const places: number[] = [];
  for (let place = firstStep ?? step; place < wholeWay; place += step) {
    places.push(place);
  }
  return [...places, wholeWay];
}

/** Where a shift goes, and the places on its way there. */
export interface StepPlaces {
  /** Names of the slots, in the order in which they are shown. */
  readonly slots: readonly string[];
  /** Weights that the shift ends at, of every slot. */
  readonly wanted: Weights;
  /** Places of the steps on the way from the live weights to the wanted ones, in percent: rising, 100 at the end. */
  readonly places: readonly number[];
}

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
export function stepsBetween(live: Weights, to: StepPlaces): Weights[] {
  return plannedSteps(live, to).map((step) => step.weights);
}

/** The steps from these weights to the wanted ones, with their places. */
export function plannedSteps(live: Weights, to: StepPlaces): ShiftStep[] {
  const way = new Way(live, to);
  const steps: ShiftStep[] = [];
  let before = 0;
  for (const percent of to.places) {
    const moved = Math.round((way.sum * percent) / 100);
    if (moved > before) {
      steps.push({ percent, weights: way.after(moved) });
      before = moved;
    }
  }
  return steps;
}

/**
 * The furthest step of the way from some weights that gives no slot more than its bound, from the live weights on: one
 * percent at least.
 */
export function furthestStep(from: Weights, live: Weights, to: StepPlaces, upTo: Weights): ShiftStep {
  const way = new Way(from, to);
  let moved = way.movedTo(live) + 1;
  let weights = way.after(moved);
  while (moved < way.sum) {
    const further = way.after(moved + 1);
    if (Object.entries(upTo).some(([slot, bound]) => (further[slot] ?? 0) > bound)) {
      break;
    }
    moved += 1;
    weights = further;
  }
  return { percent: way.placeOf(moved), weights };
}

/** The place of these weights on the way from others, in percent: 0 at its beginning, unset where they are not on it. */
export function placeOf(weights: Weights, from: Weights, to: StepPlaces): number | undefined {
  const way = new Way(from, to);
  const moved = way.movedTo(weights);
  return moved <= way.sum && sameWeights(to.slots, way.after(moved), weights)
    ? way.placeOf(moved)
    : undefined;
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

/** The way from some weights to others, percent by percent. Asked for rising numbers of percents. */
class Way {
  private readonly slots: readonly string[];
  private readonly gaining = new Apportionment();
  private readonly losing = new Apportionment();

  public constructor(
    private readonly from: Weights,
    { slots, wanted }: StepPlaces,
  ) {
    this.slots = slots;
    for (const slot of slots) {
      const change = (wanted[slot] ?? 0) - (from[slot] ?? 0);
      if (change > 0) {
        this.gaining.add(slot, change);
      } else if (change < 0) {
        this.losing.add(slot, -change);
      }
    }
  }

  /** How many percents change their slot in all. */
  public get sum(): number {
    return this.gaining.sum;
  }

  /** How many percents have changed their slot where these weights are live. */
  public movedTo(weights: Weights): number {
    return this.slots.reduce(
      (sum, slot) => sum + Math.max(0, (weights[slot] ?? 0) - (this.from[slot] ?? 0)),
      0,
    );
  }

  /** In percent of the way; a tenth is exact enough to be read. */
  public placeOf(moved: number): number {
    return this.sum === 0 ? 0 : Math.round((1000 * moved) / this.sum) / 10;
  }

  /** The weights when so many percents have changed their slot. */
  public after(moved: number): Weights {
    this.gaining.giveUpTo(moved);
    this.losing.giveUpTo(moved);
    const weights: Record<string, number> = {};
    for (const slot of this.slots) {
      weights[slot] = (this.from[slot] ?? 0) + this.gaining.of(slot) - this.losing.of(slot);
    }
    return weights;
  }
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
