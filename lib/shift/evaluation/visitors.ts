import { isCount } from './counts';
import type { SlotCount } from './counts';

/**
 * So much later than the source this machine's clock may be, in milliseconds: a failure that the source has in its newest
 * period already is none of a visitor.
 */
const slackMs = 5_000;

/** A period of one slot while own requests are taken out of it. */
interface Parts {
  /** Requests that were answered well. */
  good: number;
  /** Requests without an answer so far. */
  open: number;
  /** Requests that were counted as failed. */
  failed: number;
  slow: number;
}

/**
 * Counts without the shift's own requests: what is left are visitors'. What a source has counted in the period before or
 * after the one in which it was answered, since clocks differ, is taken from there. Never more than is there: of requests that no source has
 * counted, such as those that ended before the load balancer, nothing is taken.
 *
 * An own request that failed is taken from the failed ones alone. Where visitors' requests fail at the same time and an own
 * one was not counted, one of theirs is taken for it: that hides an error of a visitor, which the own requests show, and
 * never makes one.
 *
 * @param own what was sent, by slot and the time of the answers, in pieces no longer than a period
 */
export function withoutOwn(
  counts: readonly SlotCount[],
  own: readonly SlotCount[],
  periodMs: number,
): readonly SlotCount[] {
  const slots = new Set(own.map(({ slot }) => slot));
  const left = new Map<SlotCount, SlotCount>();
  for (const slot of slots) {
    const periods = counts.filter((count) => count.slot === slot).sort((one, other) => one.at - other.at);
    const parts = periods.map(partsOf);
    const claims = periods.map((): Parts => ({ good: 0, open: 0, failed: 0, slow: 0 }));
    for (const { at, requests, errors, slow } of own.filter((each) => each.slot === slot)) {
      const claim = claims[positionOf(periods, at, periodMs)];
      const nearest = claim ?? claims[positionOf(periods, at - slackMs, periodMs)];
      if (nearest) {
        nearest.failed += errors ?? 0;
      }
      if (claim) {
        claim.good += requests - (errors ?? 0);
        claim.slow += slow ?? 0;
      }
    }
    const isNext = (index: number): boolean =>
      periods[index + 1]?.at === (periods[index]?.at ?? NaN) + periodMs;
    const settle = (what: 'good' | 'failed' | 'slow', from: readonly (keyof Parts)[]): void => {
      const wanted = claims.map((claim) => claim[what]);
      const taken = wanted.map(() => 0);
      for (const key of from) {
        parts.forEach((part, index) => {
          const found = Math.min(part[key], wanted[index]!);
          part[key] -= found;
          wanted[index]! -= found;
          taken[index]! += key === what ? found : 0;
        });
      }
      const room = parts.map((part) => part[what]);
      // A source that is late is late all the time, and a clock that is early, too.
      const [later, earlier] = ([1, -1] as const).map((first) =>
        moved({ wanted, taken, room }, first, isNext),
      );
      const best = later!.left <= earlier!.left ? later! : earlier!;
      parts.forEach((part, index) => (part[what] = best.room[index]!));
    };
    settle('failed', ['failed', 'open']);
    settle('good', ['good', 'open']);
    settle('slow', ['slow']);
    periods.forEach((count, index) => left.set(count, countOf(count, parts[index]!)));
  }
  return counts.map((count) => left.get(count) ?? count);
}

/** Own requests and what a source has counted, period by period. */
interface Claimed {
  /** Own ones that were not found in their period. */
  readonly wanted: readonly number[];
  /** Those that were. */
  readonly taken: readonly number[];
  /** What else the source has counted. */
  readonly room: readonly number[];
}

/**
 * Takes what is wanted from the periods around: from the next one that has room, to which every period between passes on as
 * much of its own.
 *
 * @param first which side comes first
 */
function moved(
  { wanted, taken, room: given }: Claimed,
  first: 1 | -1,
  isNext: (index: number) => boolean,
): { readonly room: readonly number[]; readonly left: number } {
  const room = [...given];
  const wants = [...wanted];
  for (const step of [first, -first]) {
    wanted.forEach((_, from) => {
      let most = wants[from]!;
      for (let index = from; most > 0 && isNext(step > 0 ? index : index - 1);) {
        index += step;
        const found = Math.min(most, room[index]!);
        room[index]! -= found;
        wants[from]! -= found;
        most = Math.min(most - found, taken[index]!);
      }
    });
  }
  return { room, left: wants.reduce((sum, each) => sum + each, 0) };
}

function partsOf({ requests, errors, failures, slow }: SlotCount): Parts {
  const bad = isCount(errors) ? Math.min(Math.max(0, errors), requests) : 0;
  const failed = Math.min(bad, failures ?? bad);
  return { good: requests - bad, open: bad - failed, failed, slow: isCount(slow) ? slow : 0 };
}

/** What is not known stays so. */
function countOf(count: SlotCount, { good, open, failed, slow }: Parts): SlotCount {
  const requests = good + open + failed;
  return {
    ...count,
    requests,
    ...(isCount(count.errors) && { errors: open + failed }),
    ...(isCount(count.slow) && { slow: Math.min(slow, requests) }),
    ...(count.failures !== undefined && { failures: failed }),
  };
}

function positionOf(periods: readonly SlotCount[], at: number, periodMs: number): number {
  return periods.findIndex((period) => at >= period.at && at < period.at + periodMs);
}
