import { worstStatus } from '../engine';
import type { CheckResult, CheckStatus, CheckWindow, Figure } from '../engine';
import { compareSlots, defaultAlpha, defaultWarmUpMs, evaluateComparison } from './comparison';
import type { ComparisonCheckSettings, SlotComparison } from './comparison';
import { besideOf, countedWords, countsOf, requestShare, sumOf, tallyOf } from './counts';
import type { CountedRequests, RequestCounts, SlotCount } from './counts';
import { outageShare } from './evidence';
import { shareName } from './shares';
import { baselineSlots, gainingSlots } from './windows';
import type { KnownCounts } from './windows';

/** What a shift's own requests have found in this run so far. */
export interface SyntheticEvidence {
  /**
   * Counts of rounds, the oldest first: in each, every slot was sent the same requests at the same moments, so all slots have
   * the same number. `at` is when the round began.
   */
  readonly pairs: readonly SlotCount[];
  /** Pairs that are wanted before the first write. */
  readonly pairsBefore: number;
}

/** For one who asks again and again: each must answer as `compareSlots` does. */
export interface Comparing {
  readonly visitors: typeof compareSlots;
  readonly synthetic: typeof compareSlots;
}

/** The slots that own requests go to: those that gain weight, and the others that had some. */
export function probedSlots(window: CheckWindow): readonly string[] {
  const old = baselineSlots(window).filter((slot) => (window.origin[slot] ?? 0) > 0);
  return old.length === 0 ? [] : [...gainingSlots(window), ...old];
}

/**
 * Compares slots by the shift's own requests. They are pairs, so a fault that hits all slots at that moment, or the way to
 * them, is in the old slots' share of the round as well, and none of the new slot.
 *
 * The test is that of visitors' requests, with rounds for periods: looked at as often as one likes, it has no more false
 * alarms than `alpha` in one run. A run that goes on with an older one measures anew.
 *
 * @param compare as {@link evaluateComparison} takes it
 */
export function evaluateSynthetic(
  window: CheckWindow,
  { pairs, pairsBefore }: SyntheticEvidence,
  settings: ComparisonCheckSettings,
  compare: typeof compareSlots = compareSlots,
): CheckResult {
  const gaining = gainingSlots(window);
  const baseline = probedSlots(window).filter((slot) => !gaining.includes(slot));
  const [first] = pairs;
  if (gaining.length === 0 || baseline.length === 0) {
    return { status: 'pass', reason: 'synthetic: no slot gains weight beside another one', figures: [] };
  }
  if (first === undefined) {
    return { status: 'inconclusive', reason: 'synthetic: no requests yet', figures: [] };
  }
  const warmUntil = first.at + (settings.warmUpMs ?? defaultWarmUpMs);
  const isNew = (slot: string): boolean => (window.origin[slot] ?? 0) === 0;
  const cold = gaining.filter(isNew).map((slot): [string, number] => [slot, warmUntil]);
  // Where nobody says what is slow, own requests tell of errors alone.
  const counted = (settings.counted ?? ['errors']).filter(
    (what) => what === 'errors' || first.slow !== undefined,
  );
  const compared = compare(
    pairs,
    { gaining, baseline, from: -Infinity, warmUntil: Object.fromEntries(cold) },
    { ...settings, counted },
  );
  const sent = (slot: string): number => requestsOf(pairs, [slot]);
  const isOut = (slot: string): boolean => errorsOf(pairs, slot) >= outageShare * sent(slot);
  const silent = baseline.filter(isOut);
  const statuses = compared.map((one): CheckStatus => {
    if (one.verdict === 'regression') {
      return 'fail';
    }
    // What fails half of its requests gets no traffic, however few were to be sent.
    const enough =
      window.stage === 'before'
        ? sent(one.slot) >= pairsBefore && !isOut(one.slot)
        : one.verdict === 'no regression so far';
    return enough && silent.length === 0 ? 'pass' : 'inconclusive';
  });
  const status = worstStatus(statuses, 'pass');
  const isBlind = status === 'inconclusive' && silent.length > 0;
  const reasons = isBlind
    ? silent.map((slot) => `${errorsOf(pairs, slot)} of ${sent(slot)} requests fail at ${slot}, too`)
    : compared
        .filter((_, index) => statuses[index] === status)
        .map((one) => explain(one, sent(one.slot), status));
  return {
    status,
    reason: `synthetic: ${reasons.join('; ')}`,
    figures: figuresOf(compared, pairs, baseline),
    // Where the old slots answer no better, nothing speaks against the new one.
    ...(isBlind && { holds: true }),
  };
}

/**
 * Visitors' requests and the shift's own, each by itself, with half of `alpha` each: the worse one decides. Too few visitors
 * hold nothing up as soon as the own requests are enough for a pass.
 */
export function evaluateBoth(
  window: CheckWindow,
  known: KnownCounts | undefined,
  evidence: SyntheticEvidence,
  settings: ComparisonCheckSettings,
  compare: Comparing = { visitors: compareSlots, synthetic: compareSlots },
): CheckResult {
  const half = { ...settings, alpha: (settings.alpha ?? defaultAlpha) / 2 };
  const synthetic = evaluateSynthetic(window, evidence, half, compare.synthetic);
  if (window.stage === 'before' || known === undefined) {
    return synthetic;
  }
  const isEnough = synthetic.status === 'pass';
  const visitors = evaluateComparison(
    window,
    known,
    isEnough ? { ...half, onNoData: 'pass' } : half,
    compare.visitors,
  );
  return worseOf({ ...visitors, reason: `visitors: ${visitors.reason}` }, synthetic);
}

/** Both results, of which the worse one decides. */
export function worseOf(visitors: CheckResult, synthetic: CheckResult): CheckResult {
  const status = worstStatus([visitors.status, synthetic.status], 'pass');
  const deciding = [visitors, synthetic].filter((result) => result.status === status);
  return {
    status,
    reason: deciding.map(({ reason }) => reason).join('; '),
    figures: [...visitors.figures, ...synthetic.figures],
    ...(deciding.every(({ holds }) => holds === true) && { holds: true }),
  };
}

function explain(one: SlotComparison, requests: number, status: CheckStatus): string {
  const verdict =
    one.verdict === 'not enough requests' && status === 'pass' ? 'no outage so far' : one.verdict;
  return `${one.slot}: ${verdict}, by its ${shareName(one.counted)} after ${requests} requests to each slot`;
}

/** Of all requests, those of the warm-up included, which the chance leaves out as long as it is no outage. */
function figuresOf(
  compared: readonly SlotComparison[],
  pairs: readonly SlotCount[],
  baseline: readonly string[],
): readonly Figure[] {
  const slots = [...new Set(compared.map(({ slot }) => slot))];
  return slots.flatMap((slot): readonly Figure[] => [
    { name: 'synthetic requests', slot, value: requestsOf(pairs, [slot]), unit: 'count' },
    ...compared
      .filter((one) => one.slot === slot)
      .flatMap(({ counted, chance, alpha, verdict }): readonly Figure[] => {
        const what = counted === 'slow' ? 'slow requests' : counted;
        const own = tallyOfSlots(pairs, [slot], counted);
        return [
          {
            ...{ name: `synthetic ${shareName(counted)}`, slot, value: requestShare(own), unit: 'share' },
            ...countsOf(own, `synthetic ${countedWords[counted]}`),
            ...besideOf(baseline, tallyOfSlots(pairs, baseline, counted)),
            ...(verdict === 'regression' && { failed: true }),
          },
          {
            name: `chance of these synthetic ${what} without a regression`,
            slot,
            value: chance,
            unit: 'share',
            min: alpha,
          },
        ];
      }),
  ]);
}

function tallyOfSlots(
  pairs: readonly SlotCount[],
  slots: readonly string[],
  counted: CountedRequests,
): RequestCounts {
  return sumOf(pairs.filter(({ slot }) => slots.includes(slot)).map((pair) => tallyOf(pair, counted)));
}

function requestsOf(pairs: readonly SlotCount[], slots: readonly string[]): number {
  return pairs.reduce((sum, { slot, requests }) => sum + (slots.includes(slot) ? requests : 0), 0);
}

function errorsOf(pairs: readonly SlotCount[], slot: string): number {
  return pairs.reduce((sum, { slot: of, errors }) => sum + (of === slot ? (errors ?? 0) : 0), 0);
}
