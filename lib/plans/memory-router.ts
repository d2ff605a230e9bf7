import type { Router, Weights } from '../shift';
import { fullWeights, refuseChanged } from '../shift';

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

  public async write(weights: Weights, _signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(this.slots, weights);
    refuseChanged(this.name, await this.read(), expected);
    this.weights = wanted;
  }
}
