import { requestShare } from './counts';
import type { PairedPeriod, RequestCounts } from './counts';

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
  public add({ requests, counted }: RequestCounts): void {
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

/**
 * A bet against "the gaining slot's share is at most the bound": what one unit of money becomes in one period. On
 * average it does not grow while that is so, whatever happened before.
 */
interface Bet {
  /** Part of the money that is bet in this way at first. */
  readonly part: number;
  grows(observed: ObservedPeriod): number;
}

/** What was seen of the gaining slot in one period. */
export interface ObservedPeriod {
  readonly gaining: RequestCounts;
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
 * that begins late is not evaluated by the good time before it.
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
  public bet(observed: ObservedPeriod): void {
    this.periods += 1;
    const enters = entering(this.periods);
    this.kept -= enters;
    bets.forEach((bet, index) => {
      this.placed[index] = (this.placed[index]! + enters * bet.part) * bet.grows(observed);
    });
  }
}

/** How much more than the old slots' share is no regression yet. */
export interface RegressionBound {
  /** Difference of the shares: 0.002 are two more of a thousand requests. */
  readonly absolute: number;
  /** Times the old slots' share. */
  readonly ratio: number;
}

export interface EvidenceSettings extends RegressionBound {
  /** Periods that start before this tell of the old slots only; milliseconds since 1970. */
  readonly from: number;
  /** Periods of the gaining slot that start before this are its warm-up. */
  readonly warmUntil: number;
  /** Whether an outage in the warm-up counts. */
  readonly outageInWarmUp: boolean;
}

/** In its warm-up, a slot whose share is below this is only cold. */
export const outageShare = 0.5;

/** Fewer requests in a period of the warm-up make no outage. */
const outageRequests = 10;

/**
 * How strongly the periods speak against "the gaining slot's share is at most the old slots', but for the bound": the
 * most that one unit of money became in bets against it (an e-process). Without a regression the chance that it ever
 * reaches `m` is at most `1 / m`, at whatever times and however often one looks.
 *
 * The old slots' share of a period is the larger one of their share in that very period, so that a fault that hits all
 * slots is no regression, and of their share so far, which holds where they have few requests. What is assumed: but for
 * a regression, the mean of a period's share, given all before, is no more than that plus the bound. Nothing is assumed
 * of its distribution by the bets of the first kind; see `comparison-bets.ts` for those of the second.
 */
export class Evidence {
  private readonly baseline = new Baseline();
  private readonly wealth = new Wealth();
  private mostSoFar = 1;

  public constructor(private readonly settings: EvidenceSettings) {}

  /** 1 where nothing speaks against it. */
  public get most(): number {
    return this.mostSoFar;
  }

  /** Takes in the next period, in order of time. */
  public add(period: PairedPeriod): void {
    const { settings, baseline } = this;
    baseline.add(period.baseline);
    const { gaining } = period;
    if (period.at < settings.from || gaining.requests <= 0 || baseline.isEmpty) {
      return;
    }
    const isWarmUp = period.at < settings.warmUntil;
    if (isWarmUp && !(settings.outageInWarmUp && isOutage(period))) {
      return;
    }
    const share = Math.max(baseline.share, requestShare(period.baseline) ?? 0);
    const bound = Math.max(share + settings.absolute, share * settings.ratio);
    this.wealth.bet({ gaining, bound, dispersion: isWarmUp ? undefined : baseline.dispersion });
    this.mostSoFar = Math.max(this.mostSoFar, this.wealth.now);
  }
}

function isOutage({ gaining }: PairedPeriod): boolean {
  return gaining.requests >= outageRequests && gaining.counted >= outageShare * gaining.requests;
}
