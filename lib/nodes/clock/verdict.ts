import type { Skew } from './skew';
import type { ClockTolerance } from './tolerances';
import { clockLimits, clockTolerances } from './tolerances';

/** What a skew means. */
export interface ClockVerdict {
  /** How much it matters. */
  readonly level: 'fine' | 'warning' | 'critical';
  /** Whether the clock is behind or ahead. */
  readonly direction: 'slow' | 'fast';
  /** Whether the skew is beyond the limit also where the estimate is off by its uncertainty. */
  readonly certain: boolean;
  /** What does not bear it; empty where the level is `fine`. */
  readonly exceeded: readonly ClockTolerance[];
}

/**
 * Judges a skew.
 *
 * @param limits seconds from which on it is told of. Default: 10 and 25.
 */
export function judgeSkew(
  { seconds, uncertainty }: Pick<Skew, 'seconds' | 'uncertainty'>,
  limits: { readonly warning: number; readonly critical: number } = clockLimits,
): ClockVerdict {
  const off = Math.abs(seconds);
  const direction = seconds < 0 ? 'slow' : 'fast';
  const level = off >= limits.critical ? 'critical' : off >= limits.warning ? 'warning' : 'fine';
  const limit = level === 'critical' ? limits.critical : limits.warning;
  return {
    level,
    direction,
    certain: off - uncertainty >= limit,
    exceeded: level === 'fine' ? [] : clockTolerances.filter((each) => off > each[direction]),
  };
}
