import type { CheckWindow, Weights } from '../engine';
import { sumOf, tallyOf } from './counts';
import type { CountedRequests, SlotCount, RequestCounts } from './counts';

/** What a source of counts knows at a time. */
export interface KnownCounts {
  /** Of whole periods only; a slot without requests in a period may be missing there. */
  readonly counts: readonly SlotCount[];
  /** Where the last whole period ends whose figures are there, in milliseconds since 1970. */
  readonly until: number;
  /** Length of a period, in milliseconds. */
  readonly periodMs: number;
  /**
   * Whether the newest period may still lack figures, as with series that are not written at the same moment. It fails no
   * check alone then, but by what was counted as failed.
   *
   * @default false
   */
  readonly settling?: boolean;
}

/** What too few figures mean. */
export type OnNoData = 'inconclusive' | 'fail' | 'pass';

/** Slots that the shift gives more than they had. */
export function gainingSlots(window: CheckWindow): readonly string[] {
  return Object.keys(window.wanted).filter((slot) => window.wanted[slot]! > (window.origin[slot] ?? 0));
}

/** Slots that the shift gives no more than they had. */
export function baselineSlots(window: CheckWindow): readonly string[] {
  const gaining = gainingSlots(window);
  return Object.keys({ ...window.origin, ...window.wanted }).filter((slot) => !gaining.includes(slot));
}

/** Those that carry traffic, or did before the shift. */
export function carryingSlots(window: CheckWindow, slots: readonly string[]): readonly string[] {
  return slots.filter((slot) => (window.origin[slot] ?? 0) > 0 || (window.live[slot] ?? 0) > 0);
}

/** When the shift began: a run that goes on with an older one has writes from before it started. */
export function shiftStart(window: CheckWindow): number {
  return Math.min(window.startedAt, ...window.writes.map(({ at }) => at));
}

/** Whether there is a whole period of figures since the weights that stand now were written. */
export function hasWholePeriod(window: CheckWindow, { until, periodMs }: KnownCounts): boolean {
  return until - periodMs >= window.from;
}

/** Until when a slot is cold: one that had no traffic before the shift, for some time from its first weight on. */
export function warmUntil(window: CheckWindow, slot: string, warmUpMs: number): number {
  if ((window.origin[slot] ?? 0) > 0) {
    return -Infinity;
  }
  const first = window.writes.find(({ weights }) => (weights[slot] ?? 0) > 0);
  return (first?.at ?? shiftStart(window)) + warmUpMs;
}

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
): RequestCounts {
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

/**
 * The slots that a health check evaluates: those that have, or are about to get, more weight than before the shift; where
 * there are none, all that have weight.
 *
 * A slot that loses weight is not evaluated: it may be the very reason for the shift, and a rollback would give it more.
 */
export function slotsToEvaluate(window: CheckWindow): readonly string[] {
  const weights = weightsToBe(window);
  const carrying = Object.keys(weights).filter((slot) => weights[slot]! > 0);
  const gaining = carrying.filter((slot) => weights[slot]! > (window.origin[slot] ?? 0));
  return gaining.length > 0 ? gaining : carrying;
}

/** The slots that carried the traffic before the shift and are not evaluated: what others are measured by. */
export function referenceSlots(window: CheckWindow): readonly string[] {
  const evaluated = slotsToEvaluate(window);
  return Object.keys(window.origin).filter((slot) => window.origin[slot]! > 0 && !evaluated.includes(slot));
}

/** The weights that are about to be written, or those that stand. */
export function weightsToBe(window: CheckWindow): Weights {
  return window.next ?? window.live;
}
