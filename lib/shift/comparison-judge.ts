import type { OptionsOf } from '../problems';
import type { CheckResult, CheckStatus, CheckWindow, Figure } from './check';
import type { ComparisonSettings, SlotComparison } from './comparison';
import { compareSlots } from './comparison';
import { isKnown, shareOf } from './comparison-counts';
import type { KnownCounts, OnNoData } from './comparison-window';
import { baselineSlots, gainingSlots, hasWholePeriod, shiftStart, warmUntil } from './comparison-window';
import { shareName, unknownReason } from './comparison-share';
import { comparedCounts } from './newest-period';
import { worstStatus } from './targets/combined-result';

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

/** Keys of `ComparisonCheckSettings`. */
export const comparisonCheckSettingsKeys: OptionsOf<ComparisonCheckSettings> = {
  alpha: 'plain',
  regression: { absolute: 'plain', ratio: 'plain' },
  minRequests: 'plain',
  counted: 'list',
  warmUpMs: 'plain',
  onNoData: 'plain',
};

const defaultWarmUpMs = 60_000;

/**
 * Judges the slots that gain weight by comparison with the others, since the shift began. A regression fails as soon as the
 * figures show it; a pass needs a whole period of figures since the weights were written.
 *
 * @param compare for one who asks again and again: must answer as `compareSlots` does
 */
export function judgeComparison(
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
    figures: compared.flatMap(figuresOf),
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

function figuresOf(one: SlotComparison): readonly Figure[] {
  const { slot, counted } = one;
  const name = shareName(counted);
  return [
    { name, slot, value: shareOf(one.gaining), unit: 'share' },
    { name: `${name} of the old slots beside ${slot}`, value: shareOf(one.baseline), unit: 'share' },
    {
      name: `chance of these ${counted === 'slow' ? 'slow requests' : counted} without a regression`,
      slot,
      value: one.chance,
      unit: 'share',
      min: one.alpha,
    },
  ];
}
