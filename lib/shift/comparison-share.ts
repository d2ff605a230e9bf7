import type { CheckResult, CheckStatus, CheckWindow, Figure } from './check';
import type { CountedRequests } from './comparison-counts';
import { shareOf, sumOf, tallyOf } from './comparison-counts';
import type { KnownCounts, OnNoData } from './comparison-window';
import { gainingSlots, hasWholePeriod } from './comparison-window';
import { worstStatus } from './targets/combined-result';

/** A bound for the share of requests that fail, or that are slow. */
export interface ShareSettings {
  /**
   * Which requests the bound is for.
   * @default 'errors'
   */
  readonly counted?: CountedRequests;
  /** It fails above this share, 0 to 1. */
  readonly max: number;
  /** Requests that a slot must have had. @default 100 */
  readonly minRequests?: number;
  /** What fewer requests mean. @default 'inconclusive' */
  readonly onNoData?: OnNoData;
  /** How far back it looks, in milliseconds; never beyond the last change of the weights. @default 300000 */
  readonly overMs?: number;
  /** Slots that are judged, while they have weight. @default - those that gain weight; all if none does */
  readonly slots?: readonly string[];
}

const defaultMinRequests = 100;
const defaultOverMs = 300_000;

export function shareName(counted: CountedRequests): string {
  return counted === 'errors' ? 'error share' : 'share of slow requests';
}

/** Slots that a check judges: those that it was told, or those that gain weight, as far as they have any now. */
export function judgedSlots(window: CheckWindow, slots: readonly string[] | undefined): readonly string[] {
  const gaining = gainingSlots(window);
  const chosen = slots ?? (gaining.length > 0 ? gaining : Object.keys(window.live));
  return chosen.filter((slot) => (window.live[slot] ?? 0) > 0);
}

/** Judges the share of each slot in the whole periods since the weights were written. */
export function judgeShares(window: CheckWindow, known: KnownCounts, settings: ShareSettings): CheckResult {
  const { counted = 'errors', max, minRequests = defaultMinRequests, onNoData = 'inconclusive' } = settings;
  const name = shareName(counted);
  const slots = judgedSlots(window, settings.slots);
  if (slots.length === 0) {
    return { status: 'pass', reason: 'no slot that it judges has weight', figures: [] };
  }
  if (!hasWholePeriod(window, known)) {
    const reason = 'no whole period of figures since the weights changed yet';
    const figures = slots.map((slot) => figureOf(name, slot, null, max));
    return { status: 'inconclusive', reason, figures };
  }
  const from = Math.max(window.from, known.until - (settings.overMs ?? defaultOverMs));
  const judged = slots.map((slot) => {
    const counts = known.counts.filter((count) => count.slot === slot && count.at >= from);
    const tally = sumOf(counts.map((count) => tallyOf(count, counted)));
    const share = shareOf(tally);
    const isKnown = share !== null && tally.requests >= minRequests;
    const status: CheckStatus = isKnown ? (share > max ? 'fail' : 'pass') : onNoData;
    return { slot, tally, share, isKnown, status };
  });
  const status = worstStatus(
    judged.map((one) => one.status),
    'pass',
  );
  const texts = judged
    .filter((one) => one.status === status)
    .map(({ slot, tally, isKnown }) =>
      isKnown
        ? `${slot}: ${name} ${status === 'fail' ? 'above' : 'within'} the limit over ${Math.round(tally.requests)} requests`
        : `${slot}: ${Math.round(tally.requests)} of at least ${minRequests} requests`,
    );
  return {
    status,
    reason: texts.join('; '),
    figures: judged.flatMap(({ slot, tally, share }) => [
      figureOf(name, slot, share, max),
      { name: 'requests', slot, value: tally.requests, unit: 'count' as const, min: minRequests },
    ]),
  };
}

function figureOf(name: string, slot: string, value: number | null, max: number): Figure {
  return { name, slot, value, unit: 'share', max };
}
