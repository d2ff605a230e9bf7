import type { Tally } from './comparison-counts';

/**
 * A bet against "the gaining slot's share is at most the bound": what one unit of money becomes in one period. On
 * average it does not grow while that is so, whatever happened before.
 */
interface Bet {
  /** Part of the money that is bet in this way at first. */
  readonly part: number;
  grows(observed: Observed): number;
}

/** What was seen of the gaining slot in one period. */
export interface Observed {
  readonly gaining: Tally;
  /** The largest share that is no regression. */
  readonly bound: number;
  /** Variance of a share between periods, divided by its square; `undefined` if unknown. */
  readonly dispersion: number | undefined;
}

/**
 * Bets that know nothing of how errors are spread: a share is not below 0, so `1 - stake + stake × share / bound` has a
 * mean of at most 1 while the share's mean is at most the bound, also when errors come in bursts. An outage wins
 * `stake / bound` in one period: hundreds.
 */
function boundedMean(stake: number, part: number): Bet {
  return {
    part,
    grows: ({ gaining, bound }) => 1 - stake + (stake * gaining.counted) / gaining.requests / bound,
  };
}

/** One period wins no more than this with the bets that rest on an estimate: a single burst then decides nothing. */
const mostOfOnePeriod = 10;
/** The dispersion is an estimate from few periods, so it is taken twice. */
const dispersionTimes = 2;
/** Shares differ by at least 15 % from minute to minute and from cluster to cluster, whatever the estimate says. */
const leastDispersion = 0.15 ** 2;

/**
 * Bets that know how much the old slots' share differs between periods, so that they see a small but steady difference
 * soon: the likelihood ratio of a share with mean `times × bound` to one with mean `bound`, both of the gamma
 * distribution with the variance that requests and dispersion make. That has a longer upper tail than a binomial,
 * Poisson or negative binomial count of the same variance, so the ratio is on the safe side for them.
 */
function likelihoodRatio(times: number, part: number): Bet {
  return {
    part,
    grows: ({ gaining, bound, dispersion }) => {
      if (dispersion === undefined) {
        return 1;
      }
      const ofRequests = (1 - Math.min(bound, 1)) / (gaining.requests * bound);
      const shape = 1 / (ofRequests + dispersionTimes * dispersion + leastDispersion);
      const relative = gaining.counted / gaining.requests / bound;
      return Math.min(mostOfOnePeriod, Math.exp(shape * (relative * (1 - 1 / times) - Math.log(times))));
    },
  };
}

/** All bets of one comparison; their parts add up to 1. */
const bets: readonly Bet[] = [
  boundedMean(0.95, 0.42),
  boundedMean(0.5, 0.14),
  boundedMean(0.2, 0.14),
  likelihoodRatio(1.3, 0.1),
  likelihoodRatio(2, 0.1),
  likelihoodRatio(4, 0.1),
];

/** Part of the money that is bet from the first period on: a cluster is mostly bad from the start. */
const partAtStart = 0.75;

/** Part of the money that enters with the period of this number, from 1 on; all parts add up to 1. */
export function entering(period: number): number {
  return period === 1 ? partAtStart : ((1 - partAtStart) * 2) / (period * (period + 1));
}

/**
 * Money that is bet against "no regression", beginning with 1. Part of it enters with each period, so that a regression
 * that begins late is not judged by the good time before it.
 */
export class Wealth {
  private periods = 0;
  private kept = 1;
  private readonly placed = bets.map(() => 0);

  /** What it has become. */
  public get now(): number {
    return this.kept + this.placed.reduce((sum, money) => sum + money, 0);
  }

  /** Bets on one more period. */
  public bet(observed: Observed): void {
    this.periods += 1;
    const enters = entering(this.periods);
    this.kept -= enters;
    bets.forEach((bet, index) => {
      this.placed[index] = (this.placed[index]! + enters * bet.part) * bet.grows(observed);
    });
  }
}
