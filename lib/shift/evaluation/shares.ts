import { list, object, optional } from '../../core/validation/collections';
import { following, number, oneOf, text } from '../../core/validation/values';
import { worstStatus } from '../engine';
import type { CheckResult, CheckStatus, CheckWindow, Figure } from '../engine';
import { besideOf, countedWords, countsOf, isKnown, requestShare, sumOf, tallyOf } from './counts';
import type { CountedRequests, RequestCounts } from './counts';
import { outageShare } from './evidence';
import {
  baselineSlots,
  carryingSlots,
  gainingSlots,
  hasWholePeriod,
  leastTally,
  shiftStart,
} from './windows';
import type { KnownCounts, OnNoData } from './windows';

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
  /** Slots that are evaluated, while they have weight. @default - those that gain weight; all if none does */
  readonly slots?: readonly string[];
}

export const countedRequests = oneOf('errors', 'slow');

export const shareOfRequests = number('a share from 0 to 1', { min: 0, max: 1 });

/** A length of time; Infinity is as long as there is. */
export const millisecondsSchema = following({
  allowed: 'a number of milliseconds, at least 0',
  accepts: (value) => typeof value === 'number' && value >= 0,
});

/** What every evaluation of counts takes. */
export const countEntries = {
  minRequests: optional(number('a number of requests, at least 0', { min: 0 })),
  onNoData: optional(oneOf('inconclusive', 'fail', 'pass')),
};

export const shareSettings = object<ShareSettings>({
  ...countEntries,
  counted: optional(countedRequests),
  max: shareOfRequests,
  overMs: optional(millisecondsSchema),
  slots: optional(list(text('the name of a slot'))),
});

export const defaultMinRequests = 100;

const defaultOverMs = 300_000;

export function shareName(counted: CountedRequests): string {
  return counted === 'errors' ? 'error share' : 'share of slow requests';
}

/** Slots that a check evaluates: those that it was told, or those that gain weight, as far as they have any now. */
export function slotsWithBounds(
  window: CheckWindow,
  slots: readonly string[] | undefined,
): readonly string[] {
  const gaining = gainingSlots(window);
  const chosen = slots ?? (gaining.length > 0 ? gaining : Object.keys(window.live));
  return chosen.filter((slot) => (window.live[slot] ?? 0) > 0);
}

/** Evaluates the share of each slot in the whole periods since the weights were written. */
export function evaluateShares(
  window: CheckWindow,
  known: KnownCounts,
  settings: ShareSettings,
): CheckResult {
  const { counted = 'errors', max, minRequests = defaultMinRequests } = settings;
  const name = shareName(counted);
  const slots = slotsWithBounds(window, settings.slots);
  if (slots.length === 0) {
    return { status: 'pass', reason: 'no slot that it evaluates has weight', figures: [] };
  }
  const evaluated = slots.map((slot) => evaluateSlot(slot, window, known, settings));
  const status = worstStatus(
    evaluated.map((one) => one.status),
    'pass',
  );
  return {
    status,
    reason: [...new Set(evaluated.filter((one) => one.status === status).map(({ reason }) => reason))].join(
      '; ',
    ),
    figures: evaluated.flatMap(({ slot, tally, beside }) => [
      {
        ...figureOf(name, slot, tally === undefined ? null : requestShare(tally), max),
        ...(tally && countsOf(tally, countedWords[counted])),
        ...beside,
      },
      ...(tally === undefined
        ? []
        : [{ name: 'requests', slot, value: tally.requests, unit: 'count' as const, min: minRequests }]),
    ]),
  };
}

interface EvaluatedSlot {
  readonly slot: string;
  readonly status: CheckStatus;
  readonly reason: string;
  /** Of the whole periods, or of an outage before them; unset while there is none. */
  readonly tally?: RequestCounts;
  /** The same of the slots that do not gain weight. */
  readonly beside?: Pick<Figure, 'beside'>;
}

function evaluateSlot(
  slot: string,
  window: CheckWindow,
  known: KnownCounts,
  settings: ShareSettings,
): EvaluatedSlot {
  const { counted = 'errors', max, minRequests = defaultMinRequests, onNoData = 'inconclusive' } = settings;
  const name = shareName(counted);
  const others = carryingSlots(window, baselineSlots(window)).filter((other) => other !== slot);
  const besideFrom = (from: number): Pick<Figure, 'beside'> => {
    const counts = known.counts.filter(
      (count) => others.includes(count.slot) && count.at >= from && isKnown(count, counted),
    );
    return besideOf(others, sumOf(counts.map((count) => tallyOf(count, counted))));
  };
  const outage = outageAtOnce(slot, window, known, settings);
  if (outage !== undefined) {
    const reason = `${slot}: an outage in the period in which the weights changed`;
    const beside = besideFrom(window.from - known.periodMs + 1);
    return { slot, status: 'fail', reason, tally: outage, beside };
  }
  if (!hasWholePeriod(window, known)) {
    const reason = 'no whole period of figures since the weights changed yet';
    return { slot, status: 'inconclusive', reason };
  }
  const from = Math.max(window.from, known.until - (settings.overMs ?? defaultOverMs));
  const counts = known.counts.filter((count) => count.slot === slot && count.at >= from);
  const tally = sumOf(counts.map((count) => tallyOf(count, counted)));
  const requests = Math.round(tally.requests);
  const isEnough = tally.requests > 0 && tally.requests >= minRequests;
  const answer = (status: CheckStatus, reason: string): EvaluatedSlot => ({
    slot,
    status,
    reason: `${slot}: ${reason}`,
    tally,
    beside: besideFrom(from),
  });
  if (isEnough && requestShare(tally)! > max) {
    return requestShare(leastTally(counts, known, counted))! > max
      ? answer('fail', `${name} above the limit over ${requests} requests`)
      : answer(
          'inconclusive',
          `${name} above the limit by the newest period alone, whose figures may not all be there yet`,
        );
  }
  const unknown = counts.filter((count) => !isKnown(count, counted)).length;
  if (unknown > 0) {
    return answer('inconclusive', unknownReason(counted, unknown, counts.length));
  }
  return isEnough
    ? answer('pass', `${name} within the limit over ${requests} requests`)
    : answer(onNoData, `${requests} of at least ${minRequests} requests`);
}

/** Why counts without a figure of what is counted say nothing. */
export function unknownReason(counted: CountedRequests, unknown: number, all: number): string {
  const what = counted === 'errors' ? 'errors' : 'slow requests';
  return `no figure of ${what} in ${unknown} of ${all} periods with requests`;
}

/**
 * The requests of a slot in the period in which the weights changed, if half of them failed. That is no cold start, and the
 * next whole period would come up to a period later. Requests from before the shift are not meant.
 */
function outageAtOnce(
  slot: string,
  window: CheckWindow,
  known: KnownCounts,
  { counted = 'errors', max, minRequests = defaultMinRequests }: ShareSettings,
): RequestCounts | undefined {
  const isNew = (window.origin[slot] ?? 0) === 0;
  const counts = known.counts.filter(
    ({ slot: of, at }) =>
      of === slot &&
      at > window.from - known.periodMs &&
      at < window.from &&
      at + known.periodMs <= known.until &&
      (isNew || at >= shiftStart(window)),
  );
  const tally = leastTally(counts, known, counted);
  const share = requestShare(tally);
  const isOutage =
    counted === 'errors' &&
    share !== null &&
    tally.requests >= minRequests &&
    share >= outageShare &&
    share > max;
  return isOutage ? tally : undefined;
}

function figureOf(name: string, slot: string, value: number | null, max: number): Figure {
  return { name, slot, value, unit: 'share', max };
}
