import type { Weights } from '../../shift';
import type { LiveRule } from './live-rules';
import { targetGroupName } from './rule-slots';
import type { WeightedTarget } from './rule-weights';

/**
 * The weights of a rule as they are, whatever they are, in percent with two digits after the point: for comparing and
 * telling. A target group of no slot goes by its own name.
 */
export function shownWeights(
  targets: readonly WeightedTarget[],
  targetGroupArns: Readonly<Record<string, string>>,
): Weights {
  const slotOf = new Map(Object.entries(targetGroupArns).map(([slot, arn]) => [arn, slot]));
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  const shown = new Map(Object.keys(targetGroupArns).map((slot) => [slot, 0]));
  for (const { arn = '', weight } of targets) {
    const name = slotOf.get(arn) ?? targetGroupName(arn);
    const percent = sum === 0 ? 0 : Math.round((weight * 10_000) / sum) / 100;
    if (slotOf.has(arn) || percent > 0) {
      shown.set(name, percent);
    }
  }
  return Object.fromEntries(shown);
}

/** Whether a live rule has the wanted weights. */
export function hasWeights(
  { targets }: Pick<LiveRule, 'targets'>,
  targetGroupArns: Readonly<Record<string, string>>,
  wanted: Weights,
): boolean {
  const shown = shownWeights(targets, targetGroupArns);
  return Object.entries(shown).every(([slot, percent]) => percent === (wanted[slot] ?? 0));
}
