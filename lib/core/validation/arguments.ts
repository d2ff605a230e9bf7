import * as v from 'valibot';
import { InvalidInput, isMapping, laterValue } from './problems';
import type { Problem } from './problems';
import { problemsOf } from './schema';
import type { PlacedProblem, Schema } from './schema';

/**
 * An object that is not looked into: a component, or arguments of another package, whose own code checks them. It fits every
 * type.
 */
export function opaque(allowed: string): Schema<never> {
  return {
    judge: v.custom<never>((value) => isMapping(value) && laterValue(value) === undefined, allowed),
    allowed,
    json: { type: 'object' },
  };
}

/** Raw arguments of a resource. */
export const rawArgs: Schema<never> = opaque('an object of raw arguments');

/**
 * Everything that is wrong with arguments: of each by itself, then of several together, and with what is around them.
 *
 * @param together is given the arguments without those that are wrong by themselves, so that a required one may be missing
 */
export function argumentProblems<T>(
  schema: Schema<T>,
  args: unknown,
  together: (sound: Partial<T>) => readonly Problem[] = () => [],
): readonly Problem[] {
  const found = problemsOf(schema, args);
  if (found.some(({ steps }) => steps.length === 0)) {
    return found.map(({ path, ...problem }) => ({ ...problem, path: path === '' ? 'args' : path }));
  }
  const isTold = (path: string): boolean =>
    found.some(
      ({ path: wrong }) => path === wrong || path.startsWith(`${wrong}.`) || path.startsWith(`${wrong}[`),
    );
  return [...found, ...together(soundPart(args, found) as Partial<T>).filter(({ path }) => !isTold(path))];
}

/**
 * Refuses arguments of a component or a function.
 *
 * @param subject whose arguments they are, for the error's first line: `ClusterFleet "apps"`
 * @throws InvalidInput with everything that is wrong
 */
export function refuseArguments<T>(
  subject: string,
  schema: Schema<T>,
  args: unknown,
  together?: (sound: Partial<T>) => readonly Problem[],
): void {
  const problems = argumentProblems(schema, args, together);
  if (problems.length > 0) {
    throw new InvalidInput(subject, problems);
  }
}

/** The value without what is wrong in it; a list with a wrong item is left out as a whole. */
function soundPart(value: unknown, problems: readonly PlacedProblem[], depth = 0): unknown {
  if (problems.length === 0 || !isMapping(value)) {
    return value;
  }
  const entries = Object.entries(value).flatMap(([key, each]) => {
    const within = problems.filter(({ steps }) => steps[depth] === key);
    const isWrong = within.some(
      ({ steps }) => steps.length === depth + 1 || typeof steps[depth + 1] === 'number',
    );
    return isWrong ? [] : [[key, soundPart(each, within, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
}
