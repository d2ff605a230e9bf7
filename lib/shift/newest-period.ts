import type { CountedRequests, SlotCount, Tally } from './comparison-counts';
import { sumOf, tallyOf } from './comparison-counts';
import type { KnownCounts } from './comparison-window';

/** Start of the newest period whose figures are there. */
function newestOf({ until, periodMs }: KnownCounts): number {
  return until - periodMs;
}

/** Failures that no late figure takes back; slow requests are counted as such, and only become more. */
function certainOf(count: SlotCount, counted: CountedRequests): number | null | undefined {
  return counted === 'errors' ? (count.failures ?? count.errors) : count[counted];
}

/**
 * The least that the counts of one slot say: of the newest period only what was counted as failed, against the largest
 * number of requests of all the periods, since its own may not all be there yet.
 */
export function leastTally(
  counts: readonly SlotCount[],
  known: KnownCounts,
  counted: CountedRequests,
): Tally {
  return sumOf(leastCounts(counts, known, counted).map((count) => tallyOf(count, counted)));
}

/** The counts of one slot, the newest one replaced by the least that it says. */
export function leastCounts(
  counts: readonly SlotCount[],
  known: KnownCounts,
  counted: CountedRequests,
): readonly SlotCount[] {
  if (known.settling !== true) {
    return counts;
  }
  const newest = newestOf(known);
  const requests = Math.max(0, ...counts.map((count) => count.requests));
  return counts.map((count) =>
    count.at < newest ? count : { ...count, requests, [counted]: certainOf(count, counted) },
  );
}

/**
 * What a comparison takes in: all counts, but of the slots that gain weight the least that the newest period says. The
 * same list where that makes no difference.
 *
 * @param from since when the weights stand
 */
export function comparedCounts(
  known: KnownCounts,
  gaining: readonly string[],
  from: number,
): readonly SlotCount[] {
  const newest = newestOf(known);
  const isOpen = ({ slot, at, errors, failures }: SlotCount): boolean =>
    at >= newest && gaining.includes(slot) && failures !== undefined && failures !== errors;
  if (known.settling !== true || !known.counts.some(isOpen)) {
    return known.counts;
  }
  return known.counts.map((count) => {
    if (!isOpen(count)) {
      return count;
    }
    const others = known.counts.filter(({ slot, at }) => slot === count.slot && at >= from);
    const requests = Math.max(count.requests, ...others.map((other) => other.requests));
    return { ...count, requests, errors: count.failures! };
  });
}
