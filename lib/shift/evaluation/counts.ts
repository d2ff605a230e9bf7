import type { Figure } from '../engine';

/** What a slot took in one period: a minute, mostly. */
export interface SlotCount {
  /** Name of the slot. */
  readonly slot: string;
  /** Start of the period, in milliseconds since 1970. */
  readonly at: number;
  /** All requests of the period, failed and slow ones included. */
  readonly requests: number;
  /** Requests that failed; `null` where the source has no figure of them, which is not zero. */
  readonly errors: number | null;
  /** Requests that took longer than a bound; `null` as with errors. @default - nobody counted */
  readonly slow?: number | null;
  /**
   * Those of `errors` that were counted as failures, where the others are only requests without an answer so far: in the
   * newest period that answer may still come.
   *
   * @default - all of `errors`
   */
  readonly failures?: number;
}

/** Which requests are counted against all of them. */
export type CountedRequests = 'errors' | 'slow';

/** Requests, and those of them that are counted. */
export interface RequestCounts {
  /** All requests. */
  readonly requests: number;
  /** Those that are counted: never more than all. */
  readonly counted: number;
}

/** A slot that gains weight beside the others, in one period. */
export interface PairedPeriod {
  readonly at: number;
  readonly gaining: RequestCounts;
  /** The others together. */
  readonly baseline: RequestCounts;
}

/** Share of the counted requests; `null` without a request. */
export function requestShare(tally: RequestCounts): number | null {
  return tally.requests > 0 ? tally.counted / tally.requests : null;
}

/** What is true of counted requests, as a figure says it. */
export const countedWords: Readonly<Record<CountedRequests, string>> = {
  errors: 'requests failed',
  slow: 'requests were slow',
};

/** The counts behind a figure; none without a request. */
export function countsOf(tally: RequestCounts, what: string): Pick<Figure, 'counts'> {
  return tally.requests > 0 ? { counts: { counted: tally.counted, of: tally.requests, what } } : {};
}

/** What other slots have beside a figure; nothing where they have no requests. */
export function besideOf(slots: readonly string[], tally: RequestCounts): Pick<Figure, 'beside'> {
  return slots.length > 0 && tally.requests > 0 ? { beside: { slots, value: requestShare(tally) } } : {};
}

export const noRequests: RequestCounts = { requests: 0, counted: 0 };

/** Both together. */
export function plus(one: RequestCounts, other: RequestCounts): RequestCounts {
  return { requests: one.requests + other.requests, counted: one.counted + other.counted };
}

/** The sum of tallies. */
export function sumOf(tallies: readonly RequestCounts[]): RequestCounts {
  return tallies.reduce(plus, noRequests);
}

/** A difference of two equal sums of floating-point numbers is this far from zero at most; below it is no count. */
const rounding = 0.001;

/** Whether a number can be a count: finite, and not negative. */
export function isCount(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= -rounding;
}

/** Whether the source has sound figures of a count. One of which nobody counts slow requests has no slow ones. */
export function isKnown(count: SlotCount, counted: CountedRequests): boolean {
  const value = count[counted];
  return isCount(count.requests) && (value === undefined || isCount(value));
}

/**
 * One count as a tally; what is not known counts as none. More counted requests than requests come of a source whose
 * series were not written at the same moment: they are cut.
 */
export function tallyOf(count: SlotCount, counted: CountedRequests): RequestCounts {
  const known = (value: number | null | undefined): number => (isCount(value) ? Math.max(0, value) : 0);
  const requests = known(count.requests);
  return { requests, counted: Math.min(requests, known(count[counted])) };
}

/**
 * The periods in order, one slot beside others. A period in which none of them had requests is left out, and so are old
 * slots of which it is not known how many requests count: they would look better than they are.
 */
export function pairPeriods(
  counts: readonly SlotCount[],
  gaining: string,
  baseline: readonly string[],
  counted: CountedRequests,
): readonly PairedPeriod[] {
  const periods = new Map<number, { at: number; gaining: RequestCounts; baseline: RequestCounts }>();
  for (const count of counts) {
    const gains = count.slot === gaining;
    const compared = gains || (baseline.includes(count.slot) && isKnown(count, counted));
    if (compared && count.requests > 0) {
      let period = periods.get(count.at);
      if (period === undefined) {
        period = { at: count.at, gaining: noRequests, baseline: noRequests };
        periods.set(count.at, period);
      }
      const side = gains ? 'gaining' : 'baseline';
      period[side] = plus(period[side], tallyOf(count, counted));
    }
  }
  return [...periods.values()].sort((one, other) => one.at - other.at);
}
