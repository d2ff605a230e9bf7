import type { Command } from 'commander';
import { commandLine } from '../../lib/cli/command-line';

/** Every command of a tree with the words that lead to it, the first ones first. */
export function commandsOf(
  command: Command,
  words: readonly string[] = [],
): readonly (readonly [words: string, command: Command])[] {
  return [
    [words.join(' '), command],
    ...command.commands.flatMap((each) => commandsOf(each, [...words, each.name()])),
  ];
}

/** Commands that do something themselves. */
export function leaves(command: Command, words: readonly string[] = []): readonly [string, Command][] {
  const below = command.commands.flatMap((each) => leaves(each, [...words, each.name()]));
  const runs = below.length === 0 || command.name() === 'doctor';
  return [...(runs ? [[words.join(' '), command] as [string, Command]] : []), ...below];
}

/** The help of a command, as it is printed. */
export function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

/** Command lines that a help text shows, without what the shell does with them. */
export function examplesIn(help: string): readonly (readonly string[])[] {
  const [, examples = ''] = /\nExamples:\n([^]*?)\n\n/.exec(help) ?? [];
  return examples
    .replace(/\\\n +/g, '')
    .split('\n')
    .flatMap((line) => /(?:^|\| ) *cluster-canary ([^|>]*)/.exec(line)?.[1] ?? [])
    .map((line) =>
      line
        .replace(/(?<=\S) {2,}.*/, '')
        .trim()
        .split(/\s+/),
    );
}

/**
 * What every command has to be and to say, whatever it does; each line is something that is not so.
 *
 * @param endless one that runs until it is interrupted has no status for all that is well
 */
export async function contractProblems(make: () => Command, endless = false): Promise<string[]> {
  const program = commandLine('1.2.3', [make()]);
  const found: string[] = [];
  for (const [words, command] of commandsOf(program).slice(1)) {
    const problems = [
      ...describedProblems(command),
      ...statusProblems(helpOf(command), endless),
      ...(await exampleProblems(make, words, helpOf(command))),
    ];
    found.push(...problems.map((problem) => `${words}: ${problem}`));
  }
  return found;
}

const kebab = /^[a-z]+(-[a-z]+)*$/;

function describedProblems(command: Command): string[] {
  const parameters = [
    ...command.registeredArguments.map((each) => [each.name(), each.description] as const),
    ...command.options.map((each) => [each.long ?? each.flags, each.description] as const),
  ];
  return [
    ...(kebab.test(command.name()) ? [] : ['name: not in kebab case']),
    ...(/^[a-z][^\n]*[^\s.]$/.test(command.summary()) ? [] : ['summary: not one line without a full stop']),
    ...(/^[A-Z][^]*\.$/.test(command.description()) ? [] : ['description: no sentence']),
    ...parameters
      .filter(([name]) => !kebab.test(name.replace(/^--/, '')))
      .map(([name]) => `${name}: not in kebab case`),
    ...parameters
      .filter(([, text]) => !/^\S[^\n]*[^\s.]$/.test(text))
      .map(([name]) => `${name}: not described in one line without a full stop`),
  ];
}

function statusProblems(help: string, endless: boolean): string[] {
  const [, statuses = ''] = /\nExit status: ([^]*)$/.exec(help) ?? [];
  return [...(endless ? [] : ['0']), '2', '130']
    .filter((status) => !new RegExp(`\\b${status}\\b`).test(statuses))
    .map((status) => `help: no exit status ${status}`);
}

/** Examples are taken by the command line, and some are about the command or what is below it. */
async function exampleProblems(make: () => Command, words: string, help: string): Promise<string[]> {
  const examples = examplesIn(help);
  const problems: string[] = [];
  if (!examples.some((args) => `${args.join(' ')} `.startsWith(`${words} `))) {
    problems.push('help: no example');
  }
  for (const args of examples) {
    const program = commandLine('1.2.3', [make()]);
    for (const [, command] of commandsOf(program)) {
      command.exitOverride().configureOutput({ writeErr: () => undefined });
      command.action(() => undefined);
    }
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      problems.push(`help: the example ${args.join(' ')} is not taken: ${(error as Error).message}`);
    }
  }
  return problems;
}
