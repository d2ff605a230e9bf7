import { fullWeights, refuseChanged } from '../engine';
import type { Router, Weights } from '../engine';

/** Weights in this process alone. */
export interface SimulatedSettings {
  /** Weights at the start. @default - everything on the first slot that is not to get everything */
  readonly live?: Weights;
}

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
