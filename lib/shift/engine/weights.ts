import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';

/** Share of the traffic by slot, in whole percent. */
export type Weights = Readonly<Record<string, number>>;

const wholePercent: Format = {
  allowed: 'a whole percent from 0 to 100',
  accepts: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100,
};

const whole = 100;

/** Whether two sets of weights say the same of every slot that one of them names; a slot that is missing has 0. */
export function equalWeights(one: Weights, other: Weights): boolean {
  const weightIn = (weights: Weights, slot: string): number =>
    Object.hasOwn(weights, slot) ? weights[slot]! : 0;
  return [...Object.keys(one), ...Object.keys(other)].every(
    (slot) => weightIn(one, slot) === weightIn(other, slot),
  );
}

/** The least that one of these says of each slot. */
export function leastWeights(all: readonly Weights[]): Weights {
  const least = new Map<string, number>();
  for (const [slot, weight] of all.flatMap((weights) => Object.entries(weights))) {
    least.set(slot, Math.min(weight, least.get(slot) ?? Infinity));
  }
  return Object.fromEntries(least);
}

/** Weights that are taken to be live by default: everything on the first slot that is not to get everything. */
export function assumedLiveWeights(slots: readonly string[], wanted: Weights): Weights {
  const first = slots.find((slot) => (wanted[slot] ?? 0) < whole);
  return Object.fromEntries(slots.map((slot) => [slot, slot === first ? whole : 0]));
}

/** What is wrong with the weights that a user gave for these slots. */
export function weightProblems(slots: readonly string[], weights: Weights | undefined): readonly Problem[] {
  const problems = new Problems('weights');
  const given = Object.entries(weights ?? {});
  const known = new Set(slots);
  for (const [slot, weight] of given) {
    if (!known.has(slot)) {
      problems.add(`weights.${slot}`, weight, `left out: the slots are ${slots.join(', ')}`);
    }
    problems.check(`weights.${slot}`, weight, wholePercent);
  }
  const readable = given.every(([, weight]) => wholePercent.accepts(weight));
  const alone = slots.length === 1 && given.length === 0;
  if (readable && !alone) {
    const sum = given.reduce((total, [, weight]) => total + weight, 0);
    if (sum !== whole) {
      problems.add('weights', weights, `whole percents that add up to ${whole}; these add up to ${sum}`);
    }
  }
  return problems.all;
}

/**
 * The weight of every slot: those that a user left out are 0, and a slot that is alone has everything.
 *
 * A load balancer's weights go from 0 to 999 and are relative to each other, so whole percents are written as
 * they are.
 *
 * @param slots names of the slots
 * @param weights whole percents that add up to 100; may be left out for one slot
 * @throws InvalidInput for weights that don't add up to 100, are negative or fractional, or name an unknown slot
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroupTuple.html
 */
export function fullWeights(slots: readonly string[], weights?: Weights): Weights {
  const problems = weightProblems(slots, weights);
  if (problems.length > 0) {
    throw new InvalidInput('weights', problems);
  }
  const [first] = slots;
  const given = new Map(Object.entries(weights ?? {}));
  if (slots.length === 1 && given.size === 0) {
    given.set(first!, whole);
  }
  return Object.fromEntries(slots.map((slot) => [slot, given.get(slot) ?? 0]));
}
