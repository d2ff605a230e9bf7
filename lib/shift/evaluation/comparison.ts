import { worstStatus } from '../engine';
import type { CheckResult, CheckStatus, CheckWindow, Figure } from '../engine';
import {
  besideOf,
  countedWords,
  countsOf,
  isKnown,
  noRequests,
  pairPeriods,
  plus,
  requestShare,
} from './counts';
import type { CountedRequests, SlotCount, RequestCounts } from './counts';
import { Evidence, outageShare } from './evidence';
import type { RegressionBound } from './evidence';
import { shareName, unknownReason } from './shares';
import {
  baselineSlots,
  carryingSlots,
  comparedCounts,
  gainingSlots,
  hasWholePeriod,
  shiftStart,
  warmUntil,
} from './windows';
import type { KnownCounts, OnNoData } from './windows';

/** What a comparison of slots says; the first one is the only one that asks for action. */
export type ComparisonVerdict = 'regression' | 'no regression so far' | 'not enough requests';

/** How slots are compared. */
export interface ComparisonSettings {
  /**
   * Chance of a false alarm in a whole shift, over all slots that gain weight and all that is counted; above 0, below
   * 0.5.
   *
   * @default 0.01 - a plan has several checks, and each spends a chance of its own
   */
  readonly alpha?: number;
  /**
   * The smallest regression that matters: shares up to here are none, with however many requests they were measured.
   * Both have to be exceeded.
   *
   * @default - `{ absolute: 0.002, ratio: 1.2 }`: 0.2 percentage points and a fifth more than the old slots
   */
  readonly regression?: Partial<RegressionBound>;
  /**
   * Requests that a slot must have had after its warm-up for a verdict other than `regression`; the old slots as many.
   *
   * @default 50
   */
  readonly minRequests?: number;
  /** What is counted. @default ['errors'] */
  readonly counted?: readonly CountedRequests[];
}

/** What is compared, and since when. Times are milliseconds since 1970. */
export interface ComparisonQuestion {
  /** Slots that gain weight. */
  readonly gaining: readonly string[];
  /** The others. */
  readonly baseline: readonly string[];
  /** Earlier periods tell of the old slots only: how large their share is, and how it varies. */
  readonly from: number;
  /** End of the warm-up of a slot; one that had traffic before the shift has none. */
  readonly warmUntil: Readonly<Record<string, number>>;
}

/** One slot's share beside that of the old slots. */
export interface SlotComparison {
  /** The slot that gains weight. */
  readonly slot: string;
  /** Which requests were compared. */
  readonly counted: CountedRequests;
  /** What the figures say so far. */
  readonly verdict: ComparisonVerdict;
  /** Of the slot, after its warm-up. */
  readonly gaining: RequestCounts;
  /** Of the slot, in its warm-up. */
  readonly warmUp: RequestCounts;
  /** Of the old slots, in the same periods and, where they had no requests then, before. */
  readonly baseline: RequestCounts;
  /** The most that the chance of such figures can be without a regression: an always-valid p-value. */
  readonly chance: number;
  /** A chance up to this is a regression: its part of `alpha`. */
  readonly alpha: number;
}

/**
 * Compares the slots that gain weight with those that don't, in the same periods: a sequential test that may be looked at
 * at any time and as often as one likes, without more false alarms than `alpha`. It is computed from the counts alone,
 * from the start, at each look: a shift that was killed goes on with the same figures.
 *
 * The method is testing by betting: an e-process for bounded means (Waudby-Smith and Ramdas, "Estimating means of bounded
 * random variables by betting", JRSS B 2024, https://arxiv.org/abs/2010.09686), mixed over stakes and over the time of
 * the change as a mixture SPRT is over effects (Johari, Koomen, Pekelis and Walsh, "Always Valid Inference", Operations
 * Research 2022, https://arxiv.org/abs/1512.04922), on counts of requests as Lindon, Sanden and Shirikian do it for
 * software deployments ("Rapid Regression Detection in Software Deployments through Sequential Testing", KDD 2022,
 * https://arxiv.org/abs/2205.14762). It differs in the null hypothesis: requests of a minute are not independent, so
 * only the mean of a minute's share is bounded, and a difference up to `regression` belongs to the null hypothesis.
 * That the money bet exceeds `1 / alpha` at any time has a chance of at most `alpha` by Ville's inequality.
 *
 * What it can't see: with all of the traffic on the new slot, nothing stands beside it any more, and a fault that would
 * have hit the old one too counts as its own. A burst that lasts for minutes and hits one slot only is a regression of
 * that slot.
 */
export function compareSlots(
  counts: readonly SlotCount[],
  question: ComparisonQuestion,
  settings: ComparisonSettings = {},
): readonly SlotComparison[] {
  const comparison = new Comparison(question, settings);
  comparison.add(counts);
  return comparison.slots;
}

/** The same, for one who looks again and again: figures that were taken in once are not gone through anew. */
export class Comparison {
  private readonly parts: readonly ComparedSlot[];

  public constructor(question: ComparisonQuestion, settings: ComparisonSettings = {}) {
    const counted = settings.counted ?? ['errors'];
    const alpha = (settings.alpha ?? defaultAlpha) / (question.gaining.length * counted.length);
    this.parts = question.gaining.flatMap((slot) =>
      counted.map((what) => new ComparedSlot(question, settings, slot, what, alpha)),
    );
  }

  /** Every slot that gains weight, by everything that is counted. */
  public get slots(): readonly SlotComparison[] {
    return this.parts.map((part) => part.result);
  }

  /** Takes in whole periods, all of them later than those that it knows. */
  public add(counts: readonly SlotCount[]): void {
    for (const part of this.parts) {
      part.add(counts);
    }
  }
}

/** Chance of a false alarm in a whole shift, where the settings say nothing. */
export const defaultAlpha = 0.01;

/** The difference that is no regression yet, where the settings say nothing. */
export const defaultRegression: RegressionBound = { absolute: 0.002, ratio: 1.2 };

const defaultMinRequests = 50;

class ComparedSlot {
  private readonly warmUntil: number;
  private readonly evidence: Evidence;
  private gaining = noRequests;
  private warmUp = noRequests;
  /** The old slots in the periods that are evaluated, and in all of them. */
  private beside = noRequests;
  private baseline = noRequests;

  public constructor(
    private readonly question: ComparisonQuestion,
    private readonly settings: ComparisonSettings,
    private readonly slot: string,
    private readonly counted: CountedRequests,
    private readonly alpha: number,
  ) {
    this.warmUntil = question.warmUntil[slot] ?? -Infinity;
    this.evidence = new Evidence({
      ...defaultRegression,
      ...settings.regression,
      from: question.from,
      warmUntil: this.warmUntil,
      // A cold slot is slow; it does not fail half of its requests.
      outageInWarmUp: counted === 'errors',
    });
  }

  public add(counts: readonly SlotCount[]): void {
    const { slot, counted, question, warmUntil } = this;
    for (const period of pairPeriods(counts, slot, question.baseline, counted)) {
      this.evidence.add(period);
      this.baseline = plus(this.baseline, period.baseline);
      if (period.at >= question.from && period.at >= warmUntil) {
        this.gaining = plus(this.gaining, period.gaining);
        this.beside = plus(this.beside, period.baseline);
      } else if (period.at >= question.from) {
        this.warmUp = plus(this.warmUp, period.gaining);
      }
    }
  }

  public get result(): SlotComparison {
    const { slot, counted, gaining, warmUp, alpha } = this;
    const chance = Math.min(1, 1 / this.evidence.most);
    const enough = this.settings.minRequests ?? defaultMinRequests;
    const fewest = Math.min(gaining.requests, this.baseline.requests);
    return {
      slot,
      counted,
      verdict: verdictOf(chance <= alpha, fewest >= enough),
      gaining,
      warmUp,
      baseline: this.beside.requests > 0 ? this.beside : this.baseline,
      chance,
      alpha,
    };
  }
}

function verdictOf(isRegression: boolean, isEnough: boolean): ComparisonVerdict {
  if (isRegression) {
    return 'regression';
  }
  return isEnough ? 'no regression so far' : 'not enough requests';
}

/** How a check compares slots. */
export interface ComparisonCheckSettings extends ComparisonSettings {
  /**
   * Time from a slot's first weight on in which it is cold: slow requests don't count, and errors only where half of the
   * requests fail.
   *
   * @default 60000 - a minute
   */
  readonly warmUpMs?: number;
  /** What too few requests mean. @default 'inconclusive' */
  readonly onNoData?: OnNoData;
}

/** How long a slot is cold, where the settings say nothing. */
export const defaultWarmUpMs = 60_000;

/**
 * Evaluates the slots that gain weight by comparison with the others, since the shift began. A regression fails as soon as the
 * figures show it; a pass needs a whole period of figures since the weights were written.
 *
 * @param compare for one who asks again and again: must answer as `compareSlots` does
 */
export function evaluateComparison(
  window: CheckWindow,
  known: KnownCounts,
  settings: ComparisonCheckSettings = {},
  compare: typeof compareSlots = compareSlots,
): CheckResult {
  const gaining = gainingSlots(window);
  if (gaining.length === 0) {
    return { status: 'pass', reason: 'no slot gains weight', figures: [] };
  }
  const { warmUpMs = defaultWarmUpMs } = settings;
  const question = {
    gaining,
    baseline: baselineSlots(window),
    // The period in which the shift began has requests of it.
    from: shiftStart(window) - known.periodMs + 1,
    warmUntil: Object.fromEntries(gaining.map((slot) => [slot, warmUntil(window, slot, warmUpMs)])),
  };
  const counts = comparedCounts(known, gaining, window.from);
  const compared = compare(counts, question, settings).filter(
    ({ slot, verdict }) => verdict === 'regression' || (window.live[slot] ?? 0) > 0,
  );
  const isTimely = hasWholePeriod(window, known);
  const bySlot = doubtful(known.counts === counts ? [] : compare(known.counts, question, settings));
  const unknown = compared.map((one) => unknownOf(one, window, known) ?? bySlot(one));
  const statuses = compared.map((one, index) =>
    statusOf(one, window, known, isTimely && unknown[index] === undefined, settings.onNoData),
  );
  const status = worstStatus(statuses, 'pass');
  const reasons = compared.flatMap((one, index) =>
    statuses[index] !== status ? [] : [explain(one, isTimely, unknown[index])],
  );
  return {
    status,
    reason: reasons.join('; ') || 'no slot that gains weight has any yet',
    figures: compared.flatMap((one) => figuresOf(one, carryingSlots(window, question.baseline))),
  };
}

/** Older periods without a figure don't hold a shift up: a point that was lost does not come any more. */
const unknownCountsMs = 300_000;

/** Why a slot can't pass: periods with requests of which it is not known how many count. */
function unknownOf(one: SlotComparison, window: CheckWindow, known: KnownCounts): string | undefined {
  const from = Math.max(window.from, known.until - unknownCountsMs);
  const counts = known.counts.filter(({ slot, at }) => slot === one.slot && at >= from);
  const unknown = counts.filter((count) => !isKnown(count, one.counted)).length;
  return unknown > 0 ? unknownReason(one.counted, unknown, counts.length) : undefined;
}

/** Why a slot can't pass: it would fail by what the newest period lacks. */
function doubtful(compared: readonly SlotComparison[]): (one: SlotComparison) => string | undefined {
  return ({ slot, counted }) =>
    compared.some((each) => each.slot === slot && each.counted === counted && each.verdict === 'regression')
      ? 'regression by the newest period alone, whose figures may not all be there yet'
      : undefined;
}

function statusOf(
  one: SlotComparison,
  window: CheckWindow,
  { counts }: KnownCounts,
  isTimely: boolean,
  onNoData: OnNoData = 'inconclusive',
): CheckStatus {
  if (one.verdict === 'regression') {
    return 'fail';
  }
  if (!isTimely) {
    return 'inconclusive';
  }
  const isFresh = counts.some(
    ({ slot, at, requests }) => slot === one.slot && at >= window.from && requests > 0,
  );
  return isFresh && one.verdict === 'no regression so far' ? 'pass' : onNoData;
}

function explain(one: SlotComparison, isTimely: boolean, unknown: string | undefined): string {
  if (isTimely && unknown !== undefined && one.verdict !== 'regression') {
    return `${one.slot}: ${unknown}`;
  }
  const verdict =
    isTimely || one.verdict === 'regression'
      ? one.verdict
      : 'no whole period of figures since the weights changed yet';
  // What decides in the warm-up, or in the minute in which the weights changed, is not in the tally.
  const seen =
    one.gaining.requests > 0 ? `after ${requestsText(one.gaining.requests)}` : 'in its first minutes';
  return `${one.slot}: ${verdict}, by its ${shareName(one.counted)} ${seen}`;
}

function requestsText(requests: number): string {
  return requests === 1 ? '1 request' : `${Math.round(requests)} requests`;
}

function figuresOf(one: SlotComparison, old: readonly string[]): readonly Figure[] {
  const { slot, counted } = one;
  const shown = shownCounts(one);
  return [
    {
      ...{ name: shareName(counted), slot, value: requestShare(shown), unit: 'share' },
      ...countsOf(shown, countedWords[counted]),
      ...besideOf(old, one.baseline),
      ...(one.verdict === 'regression' && { failed: true }),
    },
    {
      name: `chance of these ${counted === 'slow' ? 'slow requests' : counted} without a regression`,
      slot,
      value: one.chance,
      unit: 'share',
      min: one.alpha,
    },
  ];
}

/** An outage in the warm-up is what a regression may rest on alone. */
function shownCounts({ verdict, counted, gaining, warmUp }: SlotComparison): RequestCounts {
  const isOutage = gaining.requests === 0 || (requestShare(warmUp) ?? 0) >= outageShare;
  return verdict === 'regression' && counted === 'errors' && isOutage ? plus(warmUp, gaining) : gaining;
}
