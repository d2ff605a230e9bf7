import type { Router, Weights } from '../shift';
import { fullWeights } from '../shift';

/** Weights that stand in this process alone. */
export class MemoryRouter implements Router {
  public readonly name = 'simulated router';

  private weights: Weights;

  public constructor(
    private readonly slots: readonly string[],
    live: Weights,
  ) {
    this.weights = fullWeights(slots, live);
  }

  public read(): Promise<Weights> {
    return Promise.resolve(this.weights);
  }

  public write(weights: Weights): Promise<void> {
    this.weights = fullWeights(this.slots, weights);
    return Promise.resolve();
  }
}

/** Everything on the first slot that is not to get everything. */
export function weightsBefore(slots: readonly string[], wanted: Weights): Weights {
  const first = slots.find((slot) => (wanted[slot] ?? 0) < 100);
  return Object.fromEntries(slots.map((slot) => [slot, slot === first ? 100 : 0]));
}
