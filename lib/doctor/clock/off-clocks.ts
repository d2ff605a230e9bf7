import type { ClockVerdict, NodeClock } from '../../nodes';
import { judgeSkew } from '../../nodes';

/** A node whose clock is off, and what that means. */
export interface OffClock {
  readonly clock: NodeClock;
  readonly verdict: ClockVerdict;
}

/** The clocks that are off. */
export interface OffClocks {
  /** How far nearly all nodes are off in the same way, in seconds: then it is the API server's clock that is. */
  readonly server?: { readonly seconds: number; readonly nodes: number; readonly verdict: ClockVerdict };
  /** Nodes that are off, the worst first; where the API server's clock is off, against the other nodes. */
  readonly nodes: readonly OffClock[];
}

/** Clocks that differ by less than this agree with each other, in seconds. */
const agreement = 2;
/** Two nodes that agree may have been set by the same hand. */
const fewest = 3;
/** How many of the nodes have to agree that the API server is the one that is off. */
const share = 0.8;

/** Sorts out which clocks are off, out of the skew of each node against the API server. */
export function offClocks(clocks: readonly NodeClock[]): OffClocks {
  const common = commonSkew(clocks);
  const nodes = clocks
    .map((clock) => ({ ...clock, seconds: round(clock.seconds - (common?.seconds ?? 0)) }))
    .map((clock) => ({ clock, verdict: judgeSkew(clock) }))
    .filter(({ verdict }) => verdict.level !== 'fine')
    .sort((one, other) => Math.abs(other.clock.seconds) - Math.abs(one.clock.seconds));
  if (!common) {
    return { nodes };
  }
  // Nodes that are ahead of the server say that the server is behind.
  const verdict = judgeSkew({ seconds: -common.seconds, uncertainty: agreement });
  return { server: { ...common, seconds: -common.seconds, verdict }, nodes };
}

function commonSkew(clocks: readonly NodeClock[]): { seconds: number; nodes: number } | undefined {
  const sorted = clocks.map(({ seconds }) => seconds).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const agreeing = sorted.filter((seconds) => Math.abs(seconds - median) <= agreement).length;
  const isCommon = clocks.length >= fewest && agreeing >= clocks.length * share;
  return isCommon && judgeSkew({ seconds: median, uncertainty: 0 }).level !== 'fine'
    ? { seconds: median, nodes: agreeing }
    : undefined;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
