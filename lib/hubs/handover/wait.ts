import type { Clock } from '../../shift';

/** How long something is looked at again. */
export interface Patience {
  /** Milliseconds. */
  readonly within: number;
  /** Milliseconds between two looks in the end: the first pauses are shorter, and each has a random part of up to half. */
  readonly every: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds; each further pause is twice as long. */
const firstPause = 250;

/**
 * Looks again and again until nothing is in the way, time is up or the signal is aborted. Answers what was in the way at the
 * last look; what a look throws is thrown on.
 *
 * @param tell is told what is in the way whenever that has changed
 */
export async function untilClear(
  look: () => Promise<readonly string[]>,
  { within, every, clock, signal }: Patience,
  tell: (lines: readonly string[]) => void = () => undefined,
): Promise<readonly string[]> {
  const end = clock.now() + within;
  let told = '';
  for (let looks = 1; ; looks += 1) {
    const lines = await look();
    if (lines.length === 0 || signal.aborted || clock.now() >= end) {
      return lines;
    }
    if (lines.join('\n') !== told) {
      told = lines.join('\n');
      tell(lines);
    }
    const pause = Math.min(firstPause * 2 ** (looks - 1), every) * (1 + Math.random() / 2);
    await clock.sleep(Math.min(pause, Math.max(end - clock.now(), 1)), signal);
  }
}
