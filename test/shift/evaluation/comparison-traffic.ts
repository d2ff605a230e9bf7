import type { SlotCount } from '../../../lib/shift/evaluation';

/** Seeded random numbers, so that a simulation says the same each time. */
export class Dice {
  public constructor(private seed: number) {}

  /** Mulberry32. */
  public uniform(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  public normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Marsaglia and Tsang's method. */
  public gamma(shape: number): number {
    if (shape < 1) {
      return this.gamma(shape + 1) * (1 - this.uniform()) ** (1 / shape);
    }
    const d = shape - 1 / 3;
    for (;;) {
      const x = this.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) {
        return d * v;
      }
    }
  }

  /** A share with this mean; `correlation` is that of two requests of one period. */
  public share(mean: number, correlation: number): number {
    if (correlation === 0 || mean <= 0 || mean >= 1) {
      return mean;
    }
    const sum = 1 / correlation - 1;
    const one = this.gamma(mean * sum);
    const other = this.gamma((1 - mean) * sum);
    return one + other > 0 ? one / (one + other) : 0;
  }

  public poisson(mean: number): number {
    if (mean > 40) {
      return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    }
    let count = -1;
    for (let product = 1; product > Math.exp(-mean); product *= 1 - this.uniform()) {
      count += 1;
    }
    return count;
  }

  public binomial(number: number, share: number): number {
    if (share <= 0 || share >= 1) {
      return share <= 0 ? 0 : number;
    }
    if (number < 100) {
      return Array.from({ length: number }, () => this.uniform()).filter((one) => one < share).length;
    }
    if (number * share < 30) {
      return Math.min(number, this.poisson(number * share));
    }
    const deviation = Math.sqrt(number * share * (1 - share));
    return Math.max(0, Math.min(number, Math.round(number * share + deviation * this.normal())));
  }
}

export const minute = 60_000;
/** When the shifts of these tests begin. */
export const start = Date.UTC(2026, 0, 1, 12);

export interface Story {
  readonly perSecond: number;
  /** Share of every slot. */
  readonly share: number;
  /** Green's share in a minute of the shift, from what it would be anyway. */
  readonly green?: (share: number, at: number) => number;
  readonly correlation?: number;
  /** Chance that a minute has the shares of the one before. */
  readonly persistence?: number;
  /** Whether both slots have their bursts together. */
  readonly shared?: boolean;
  /** Green's share in its first minute. */
  readonly cold?: number;
  /** Minutes before the shift. */
  readonly history?: number;
  /** Minutes after the last step. */
  readonly bake?: number;
}

/** Green's weights, two minutes each. */
export const steps = [1, 2, 5, 10, 25, 50, 100];
export const minutesOfStep = 2;

/** Counts of a whole shift, minute by minute, as `errors` and as `slow`. */
export function tell(story: Story, dice: Dice): readonly SlotCount[] {
  const counts: SlotCount[] = [];
  const { share, correlation = 0, persistence = 0, history = 30, bake = 10 } = story;
  let shares: readonly [number, number] | undefined;
  for (let at = -history; at < steps.length * minutesOfStep + bake; at += 1) {
    const weight = at < 0 ? 0 : steps[Math.min(steps.length - 1, Math.floor(at / minutesOfStep))]!;
    const requests = dice.poisson(story.perSecond * 60);
    const toGreen = dice.binomial(requests, weight / 100);
    if (!shares || dice.uniform() >= persistence) {
      const blue = dice.share(share, correlation);
      shares = [blue, story.shared ? blue : dice.share(share, correlation)];
    }
    const usual = story.green?.(shares[1], at) ?? shares[1];
    const ofGreen = at === 0 && story.cold !== undefined ? story.cold : usual;
    const add = (slot: string, number: number, shareOfSlot: number): void => {
      const errors = dice.binomial(number, shareOfSlot);
      counts.push({ slot, at: start + at * minute, requests: number, errors, slow: errors });
    };
    add('blue', requests - toGreen, shares[0]);
    add('green', toGreen, ofGreen);
  }
  return counts;
}
