import type { Heartbeat } from './heartbeat';

/** How far a clock is off, with how well that is known. In seconds; below zero it is slow. */
export interface Skew {
  /** The estimate, in seconds. */
  readonly seconds: number;
  /** The true value is within so many seconds of it, if the clock was not set meanwhile. */
  readonly uncertainty: number;
  /** Median of the single estimates. */
  readonly median: number;
  /** Greatest less smallest of the single estimates; up to about 1 comes from times that are whole seconds. */
  readonly spread: number;
  /** How many heartbeats it rests on. */
  readonly samples: number;
}

/** A write takes a while, also where the API server is not busy; in seconds. */
const leastUncertainty = 0.1;

/**
 * Estimates a node's skew against the API server from several heartbeats.
 *
 * The API server's time is cut to whole seconds, so that a single heartbeat tells the skew within a second: with `d` the
 * difference of the two times, it is above `d - 1` and not above `d`, if the write took no time. kubelet's renewals are
 * not in step with the second, so several heartbeats have bounds that overlap, and the skew is in what they have in
 * common. A write that was slow makes its difference smaller than it should be: one that is over a second away from the
 * median is left out.
 *
 * @param heartbeats of one node, at least one
 */
export function skewOf(heartbeats: readonly Pick<Heartbeat, 'renewedAt' | 'writtenAt'>[]): Skew {
  const differences = heartbeats
    .map(({ renewedAt, writtenAt }) => (renewedAt - writtenAt) / 1000)
    .sort((one, other) => one - other);
  const middle = medianOf(differences);
  const near = differences.filter((difference) => Math.abs(difference - middle) <= 1);
  // The middle of two that are far from each other is near to neither.
  const counted = near.length === 0 ? differences : near;
  const [above, notAbove] = [counted.at(-1)! - 1, counted[0]!];
  const spread = differences.at(-1)! - differences[0]!;
  return {
    seconds: rounded((above + notAbove) / 2),
    uncertainty: rounded(
      Math.max(Math.abs(notAbove - above) / 2, leastUncertainty, spread > 2 ? spread / 2 : 0),
    ),
    // Half a second is what cutting takes away on average.
    median: rounded(middle - 0.5),
    spread: rounded(spread),
    samples: heartbeats.length,
  };
}

function medianOf(sorted: readonly number[]): number {
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

/** To milliseconds, as renewTime is read. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000 + 0;
}
