import type { Schedule } from '../../shift';
import { describeDuration, describeWeights } from '../../shift';

/**
 * A shift that takes longer than this should not hold a stack's lock, in milliseconds.
 */
export const longestUnderLock = 30 * 60_000;

/** A shift that `up` would begin. */
export interface PreviewedShift extends Schedule {
  /** What a step takes its time for. */
  readonly waits: readonly string[];
  /** What the record of an earlier shift changes. */
  readonly notes: readonly string[];
}

/** What a preview says of a shift. */
export interface PreviewLines {
  readonly info: string;
  readonly warnings: readonly string[];
}

/**
 * The steps of a shift and the least time that `pulumi up` takes for it.
 *
 * @param what is shifted: `FleetTraffic "apps"`
 */
export function previewLines(
  what: string,
  { from, steps, bakeFromMs, leastMs, waits, notes, warnings }: PreviewedShift,
): PreviewLines {
  if (leastMs === 0) {
    const nothing = 'the wanted weights are live already: nothing to shift';
    return { info: `${what}: ${notes.length === 0 ? nothing : notes.join('; ')}`, warnings };
  }
  const lines = steps.map(
    ({ atMs, weights, pauseBefore }) =>
      `  at ${describeDuration(atMs).padStart(6)}: ${describeWeights(weights)}` +
      (pauseBefore === undefined ? '' : ` (waits for a person before that, at ${pauseBefore} %)`),
  );
  const bake = leastMs - bakeFromMs;
  const info = [
    `${what}: up would shift the traffic from ${describeWeights(from)}, in ${describeDuration(leastMs)} at least:`,
    ...notes.map((note) => `  ${note}`),
    ...lines,
    ...(bake > 0
      ? [`  at ${describeDuration(bakeFromMs).padStart(6)}: bakes for ${describeDuration(bake)}`]
      : []),
    ...waits.map((wait) => `  it takes its time: ${wait}`),
  ].join('\n');
  const long =
    leastMs > longestUnderLock
      ? [
          `${what}: this shift would hold the stack's lock for ${describeDuration(leastMs)} or longer. ` +
            "With runBy: 'workflow' it runs in the cluster instead, and up ends at once.",
        ]
      : [];
  return { info, warnings: [...long, ...warnings.map((warning) => `${what}: ${warning}`)] };
}
