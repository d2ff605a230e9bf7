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
