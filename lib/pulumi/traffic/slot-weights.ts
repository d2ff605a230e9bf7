import { fullWeights } from '../../shift/engine';
import type { Weights } from '../../shift/engine';

/** Whole percents of some slots; of a slot that is left out it is 0. */
export type SlotWeights<Slot extends string = string> = Readonly<Partial<Record<Slot, number>>>;

/** The weight of every slot. */
export function weightsOf<Slot extends string>(
  slots: readonly string[],
  weights: SlotWeights<Slot> | undefined,
): Readonly<Record<Slot, number>> {
  return fullWeights(slots, weights as Weights | undefined);
}
