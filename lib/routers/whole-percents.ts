import type { Weights } from '../shift';
import { describeWeights } from '../shift';

/** Weights on any scale, by slot. */
export type RawWeights = Readonly<Record<string, number>>;

/**
 * Weights of any scale as whole percents: `{ blue: 500, green: 500 }` is 50 and 50.
 *
 * @returns undefined where they are no whole percents, as `{ blue: 1, green: 2 }`, or all are 0
 */
export function wholePercents(raw: RawWeights): Weights | undefined {
  const sum = total(raw);
  const percents = Object.entries(raw).map(([slot, weight]) => [slot, (weight * 100) / sum] as const);
  return sum > 0 && percents.every(([, percent]) => Number.isInteger(percent))
    ? Object.fromEntries(percents)
    : undefined;
}

/**
 * The whole percents that are closest to weights of any scale: what is over goes to the largest remainders, the first
 * slot first among equals.
 *
 * @param raw not all 0
 */
export function nearestPercents(raw: RawWeights): Weights {
  const sum = total(raw);
  const shares = Object.entries(raw).map(([slot, weight]) => ({
    slot,
    whole: Math.floor((weight * 100) / sum),
    remainder: (weight * 100) % sum,
  }));
  const over = 100 - shares.reduce((all, { whole }) => all + whole, 0);
  const up = new Set(
    [...shares]
      .sort((one, other) => other.remainder - one.remainder)
      .slice(0, over)
      .map(({ slot }) => slot),
  );
  return Object.fromEntries(shares.map(({ slot, whole }) => [slot, whole + (up.has(slot) ? 1 : 0)]));
}

/** Why a shift can't begin from weights that are no whole percents, and how to mend them. */
export function noWholePercents(raw: RawWeights, allZero: string): string {
  const sum = total(raw);
  if (sum === 0) {
    return `${allZero}; set the weights to where the traffic is meant to be first, such as 100 for one slot`;
  }
  const exact = Object.entries(raw).map(([slot, weight]) => [slot, (weight * 100) / sum] as const);
  const nearest = nearestPercents(raw);
  const moved = exact.reduce((all, [slot, percent]) => all + Math.max(0, nearest[slot]! - percent), 0);
  const percents = exact.map(([slot, percent]) => `${slot} ${Number(percent.toFixed(2))} %`).join(', ');
  return (
    `the live weights ${describeWeights(raw)} are no whole percents (${percents}), and a shift moves in whole percents; ` +
    `set them once to ${describeWeights(nearest)}, which moves ${Number(moved.toFixed(2))} % of the traffic, and begin again`
  );
}

function total(raw: RawWeights): number {
  return Object.values(raw).reduce((sum, weight) => sum + weight, 0);
}
