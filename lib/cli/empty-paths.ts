import type { Command } from 'commander';
import { Problems } from '../problems';

/** Options and arguments whose values are paths, by what stands for the value: `--out <folder>`. */
const path = /[<[](?:\[name=\])?(?:file|folder|path|plan|program)\b/;

/**
 * Refuses empty paths, as an unset variable of a script gives them: Node takes an empty path for the working folder, at
 * times, and nobody asked for that one to be read or written.
 *
 * @throws InvalidInput
 */
export function refuseEmptyPaths(command: Command): void {
  const problems = new Problems(command.name());
  const judge = (name: string, value: unknown): void => {
    if ([value].flat().includes('')) {
      problems.add(name, '', 'a path: "." is the working folder');
    }
  };
  command.registeredArguments.forEach((argument, position) => {
    if (path.test(`<${argument.name()}>`)) {
      judge(argument.name(), command.processedArgs[position]);
    }
  });
  for (const option of command.options) {
    if (path.test(option.flags)) {
      judge(option.long ?? option.flags, command.getOptionValue(option.attributeName()));
    }
  }
  problems.throwIfAny();
}
