import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../durations';

/**
 * Reads a whole number within bounds, both included.
 *
 * @param what completes the sentence "It must be …"
 */
export function wholeNumber(
  least: number,
  most = Infinity,
  what = 'a whole number',
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < least || value > most) {
      const bounds = most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`;
      throw new InvalidArgumentError(`It must be ${what}${bounds}.`);
    }
    return value;
  };
}

/** Reads a duration, in milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('It must be a duration: 1h, 30m, 90s.');
  }
  return milliseconds;
}

/** Takes a value of an option that may be given again and again. */
export function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
