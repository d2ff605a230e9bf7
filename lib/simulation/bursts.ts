import { beta } from './distributions';
import type { Random } from './random';
import type { Bursts } from './scenario';

/** The share of errors that each slot has anyway, minute by minute. */
export class ErrorBursts {
  /** By slot. */
  public readonly shares: number[];
  private readonly alpha: number;
  private readonly betaShape: number;

  /**
   * @param mean the share in the long run
   * @param bursts unset: it is the mean, always
   */
  public constructor(
    slots: number,
    private readonly mean: number,
    private readonly bursts: Bursts | undefined,
    private readonly random: Random,
  ) {
    this.shares = Array.from({ length: slots }, () => mean);
    // The correlation of two requests of a beta-binomial is 1 / (alpha + beta + 1).
    const sum = bursts ? 1 / bursts.dispersion - 1 : 0;
    this.alpha = mean * sum;
    this.betaShape = (1 - mean) * sum;
    this.draw();
  }

  /** Goes on to the next minute. */
  public next(): void {
    if (this.bursts && this.random.uniform() >= (this.bursts.persistence ?? 0)) {
      this.draw();
    }
  }

  private draw(): void {
    if (!this.bursts || this.mean <= 0 || this.mean >= 1) {
      return;
    }
    const shared = this.bursts.shared === true;
    for (let slot = 0; slot < this.shares.length; slot += 1) {
      this.shares[slot] =
        shared && slot > 0 ? this.shares[0]! : beta(this.random, this.alpha, this.betaShape);
    }
  }
}
