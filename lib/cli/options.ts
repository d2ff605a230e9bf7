import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { parseDuration } from '../core/durations';
import { Problems } from '../core/validation/problems';

/** Options and arguments whose values are paths, by what is in place of the value: `--out <folder>`. */
const path = /[<[](?:\[name=\])?(?:file|folder|path|plan|program)\b/;

/**
 * Refuses empty paths, as an unset variable of a script gives them: Node takes an empty path for the working folder, at
 * times, and that one was not meant to be read or written.
 *
 * @throws InvalidInput
 */
export function refuseEmptyPaths(command: Command): void {
  const problems = new Problems(command.name());
  const evaluate = (name: string, value: unknown): void => {
    if ([value].flat().includes('')) {
      problems.add(name, '', 'a path: "." is the working folder');
    }
  };
  command.registeredArguments.forEach((argument, position) => {
    if (path.test(`<${argument.name()}>`)) {
      evaluate(argument.name(), command.processedArgs[position]);
    }
  });
  for (const option of command.options) {
    if (path.test(option.flags)) {
      evaluate(option.long ?? option.flags, command.getOptionValue(option.attributeName()));
    }
  }
  problems.throwIfAny();
}

/**
 * Reads a whole number within bounds, both included.
 *
 * @param what completes the sentence "It must be …"
 */
export function wholeNumberFlag(
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
export function durationFlag(text: string): number {
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
