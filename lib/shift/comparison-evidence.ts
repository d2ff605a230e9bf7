import { Baseline } from './comparison-baseline';
import { Wealth } from './comparison-bets';
import type { PairedPeriod } from './comparison-counts';
import { shareOf } from './comparison-counts';

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
    const share = Math.max(baseline.share, shareOf(period.baseline) ?? 0);
    const bound = Math.max(share + settings.absolute, share * settings.ratio);
    this.wealth.bet({ gaining, bound, dispersion: isWarmUp ? undefined : baseline.dispersion });
    this.mostSoFar = Math.max(this.mostSoFar, this.wealth.now);
  }
}

function isOutage({ gaining }: PairedPeriod): boolean {
  return gaining.requests >= outageRequests && gaining.counted >= outageShare * gaining.requests;
}
