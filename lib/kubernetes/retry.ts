/** How often and how patiently a call is made. */
export interface CallLimits {
  /** Of one try, in milliseconds. @default 10000 */
  readonly timeout: number;
  /** Tries, the first one included. @default 4 */
  readonly attempts: number;
  /** Before the second try, in milliseconds; it doubles with each further one, up to 5 s. @default 250 */
  readonly pause: number;
}

export const defaultLimits: CallLimits = { timeout: 10_000, attempts: 4, pause: 250 };

const longestPause = 5_000;
/** A server may ask for a longer pause than it would otherwise be. */
const longestAskedFor = 30_000;

/**
 * How long to wait before the next try, in milliseconds. Half of it is left to chance, so that many callers don't come
 * back at once.
 *
 * @param failed tries so far, at least one
 * @param retryAfter seconds that the server asked for
 * @param chance from 0 to 1
 */
export function pauseBefore(
  failed: number,
  limits: CallLimits,
  retryAfter: number | undefined,
  chance: number,
): number {
  const grown = Math.min(limits.pause * 2 ** (failed - 1), longestPause);
  const asked = Math.min((retryAfter ?? 0) * 1000, longestAskedFor);
  return Math.max(grown * (0.5 + chance / 2), asked * (1 + chance / 4));
}

/** What may be asked twice: everything, or only what the server has not begun. */
export type Repeatable = 'always' | 'unlessBegun';

/** Whether an answer of this status is worth another try. */
export function isPassing(status: number, repeatable: Repeatable): boolean {
  // The server sends 429 before it does anything.
  return status === 429 || (repeatable === 'always' && (status >= 500 || status === 408) && status !== 501);
}
