import type { CheckResult, CheckStatus, CheckWindow, Figure } from './check';
import type { ComparisonSettings, SlotComparison } from './comparison';
import { compareSlots } from './comparison';
import { shareOf } from './comparison-counts';
import type { KnownCounts, OnNoData } from './comparison-window';
import { baselineSlots, gainingSlots, hasWholePeriod, shiftStart, warmUntil } from './comparison-window';
import { shareName } from './comparison-share';
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
  const compared = compare(known.counts, question, settings).filter(
    ({ slot, verdict }) => verdict === 'regression' || (window.live[slot] ?? 0) > 0,
  );
  const isTimely = hasWholePeriod(window, known);
  const statuses = compared.map((one) => statusOf(one, window, known, isTimely, settings.onNoData));
  const status = worstStatus(statuses, 'pass');
  const decisive = compared.filter((_one, index) => statuses[index] === status);
  return {
    status,
    reason:
      decisive.map((one) => explain(one, isTimely)).join('; ') || 'no slot that gains weight has any yet',
    figures: compared.flatMap(figuresOf),
  };
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

function explain(one: SlotComparison, isTimely: boolean): string {
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
