import type { Tally } from './comparison-counts';

/** Fewer periods say nothing of how much they differ. */
const fewestPeriods = 3;

/** The old slots' share so far, and how much it differs from period to period. */
export class Baseline {
  private periods = 0;
  private requests = 0;
  private counted = 0;
  private requestsSquared = 0;
  private countedSquared = 0;
  private product = 0;

  /** Takes in one more period. */
  public add({ requests, counted }: Tally): void {
    if (requests > 0) {
      this.periods += 1;
      this.requests += requests;
      this.counted += counted;
      this.requestsSquared += requests * requests;
      this.countedSquared += counted * counted;
      this.product += requests * counted;
    }
  }

  public get isEmpty(): boolean {
    return this.requests === 0;
  }

  /**
   * The share, from above: with `c` of `n` requests counted it is `(c + 1) / (n + 1)`. The mean of the inverse of that
   * is never more than the inverse of the true share, however few the requests, and that is what a bet needs: for a
   * binomial `c`, `E[(n + 1) / (c + 1)] = (1 - (1 - p)^(n + 1)) / p ≤ 1 / p`.
   */
  public get share(): number {
    return Math.min(1, (this.counted + 1) / (this.requests + 1));
  }

  /**
   * The variance of the share between periods, beyond that of independent requests, divided by the square of the share;
   * by the method of moments. `undefined` while there are too few periods.
   */
  public get dispersion(): number | undefined {
    if (this.periods < fewestPeriods) {
      return undefined;
    }
    const mean = this.counted / this.requests;
    const spread = this.countedSquared - 2 * mean * this.product + mean * mean * this.requestsSquared;
    const ofRequests = this.requests * mean * (1 - mean);
    return Math.max(0, spread - ofRequests) / this.requestsSquared / (this.share * this.share);
  }
}
