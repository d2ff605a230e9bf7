import { formatWeights } from '../format';
import { sameWeights } from '../steps';
import type { Weights } from '../weights';
import type { ShiftLive } from './events';
import type { ShiftContext } from './states';

/** Whether these are weights of the plan's slots: whole percents that add up to 100, and none of another slot. */
export function fitSlots(slots: readonly string[], weights: Weights): boolean {
  let sum = 0;
  for (const slot of slots) {
    const weight = weights[slot] ?? 0;
    if (!Number.isInteger(weight) || weight < 0) {
      return false;
    }
    sum += weight;
  }
  for (const slot in weights) {
    if (weights[slot] !== 0 && !slots.includes(slot)) {
      return false;
    }
  }
  return sum === 100;
}

/** Each of these weights once. */
export function distinctWeights(slots: readonly string[], all: readonly Weights[]): readonly Weights[] {
  return all.filter(
    (weights, index) => all.findIndex((other) => sameWeights(slots, weights, other)) === index,
  );
}

/** Whether everything that was read is one of these. */
export function isOneOf(slots: readonly string[], found: ShiftLive, possible: readonly Weights[]): boolean {
  const explained = (weights: Weights): boolean => possible.some((one) => sameWeights(slots, one, weights));
  return found.members ? found.members.every(({ weights }) => explained(weights)) : explained(found.weights);
}

/** Whether these weights are live, on every member. */
export function isLive(slots: readonly string[], found: ShiftLive, weights: Weights): boolean {
  return found.members === undefined && sameWeights(slots, found.weights, weights);
}

/** Adds what a look may find from now on. */
export function withPossible(
  slots: readonly string[],
  course: ShiftContext,
  weights: Weights,
): readonly Weights[] {
  const known = course.possible.some((one) => sameWeights(slots, one, weights));
  return known ? course.possible : [...course.possible, weights];
}

/** Whether the traffic is where it was before the shift, for all that is known. */
export function nothingMoved(slots: readonly string[], course: ShiftContext): boolean {
  return course.possible.every((one) => sameWeights(slots, one, course.origin));
}

export function describeFound(found: ShiftLive): string {
  const { members, weights } = found;
  return members
    ? members.map((member) => `${formatWeights(member.weights)} on ${member.name}`).join('; ')
    : formatWeights(weights);
}

/** Says who differs. */
export function foreignChange(expected: readonly Weights[], found: ShiftLive): string {
  return (
    `Another process changed the weights: this shift left ${expected.map(formatWeights).join(' or ')}, ` +
    `but ${describeFound(found)} is live. It wrote nothing over it. ` +
    'Find out who changes them; a new run starts from the weights that it finds.'
  );
}
