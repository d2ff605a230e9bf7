/** What a slot took in one period: a minute, mostly. */
export interface SlotCount {
  /** Name of the slot. */
  readonly slot: string;
  /** Start of the period, in milliseconds since 1970. */
  readonly at: number;
  /** All requests of the period, failed and slow ones included. */
  readonly requests: number;
  /** Requests that failed. */
  readonly errors: number;
  /** Requests that took longer than a bound. @default - nobody counted */
  readonly slow?: number;
}

/** Which requests are counted against all of them. */
export type CountedRequests = 'errors' | 'slow';

/** Requests, and those of them that are counted. */
export interface Tally {
  /** All requests. */
  readonly requests: number;
  /** Those that are counted: never more than all. */
  readonly counted: number;
}

/** A slot that gains weight beside the others, in one period. */
export interface PairedPeriod {
  readonly at: number;
  readonly gaining: Tally;
  /** The others together. */
  readonly baseline: Tally;
}

/** Share of the counted requests; `null` without a request. */
export function shareOf(tally: Tally): number | null {
  return tally.requests > 0 ? tally.counted / tally.requests : null;
}

export const noRequests: Tally = { requests: 0, counted: 0 };

/** Both together. */
export function plus(one: Tally, other: Tally): Tally {
  return { requests: one.requests + other.requests, counted: one.counted + other.counted };
}

/** The sum of tallies. */
export function sumOf(tallies: readonly Tally[]): Tally {
  return tallies.reduce(plus, noRequests);
}

/**
 * One count as a tally. More counted requests than requests come of a source whose series were not written at the same
 * moment, and fewer than none of a difference of such series: both are cut.
 */
export function tallyOf(count: SlotCount, counted: CountedRequests): Tally {
  const requests = Math.max(0, count.requests);
  return { requests, counted: Math.min(requests, Math.max(0, count[counted] ?? 0)) };
}

/** The periods in order, one slot beside others. A period in which none of them had requests is left out. */
export function pairPeriods(
  counts: readonly SlotCount[],
  gaining: string,
  baseline: readonly string[],
  counted: CountedRequests,
): readonly PairedPeriod[] {
  const periods = new Map<number, { at: number; gaining: Tally; baseline: Tally }>();
  for (const count of counts) {
    const gains = count.slot === gaining;
    if ((gains || baseline.includes(count.slot)) && count.requests > 0) {
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
