import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { commands } from '../../lib/cli/program';
import { pages, root } from './documents';
import { lines, ours, whole } from './page-commands';
import { commandsOf } from './shell';

/** The program with every command that the package has, none of which does anything. */
function idleProgram(): Command {
  const program = new Command('cluster-canary').exitOverride();
  commands.forEach((make) => program.addCommand(idle(make())));
  return program;
}

function idle(command: Command): Command {
  command.commands.forEach(idle);
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {});
}

test('there are commands in the pages', () => {
  expect(ours.length).toBeGreaterThan(80);
  expect(new Set(ours.map(({ words }) => words[0]))).toEqual(
    new Set(idleProgram().commands.map((command) => command.name())),
  );
});

test.each(ours.map((each) => [`${each.place} ${each.text}`, each] as const))(
  '%s: there are such flags',
  (_, { words }) => {
    const [command, rest] = commandFor(words);
    expect(command.name()).not.toBe('cluster-canary');
    const known = new Set(
      command.options.concat(command.parent!.options).flatMap(({ long, short }) => [long, short]),
    );
    const flags = rest
      .map((word) => /^\[?(--?[a-z][a-z-]*)/.exec(word)?.[1])
      .filter((flag) => flag !== undefined);
    expect(flags.filter((flag) => flag !== '--help' && !known.has(flag))).toEqual([]);
  },
);

/** The command that words name, and the words behind its name. */
function commandFor(words: readonly string[]): readonly [Command, readonly string[]] {
  let command = idleProgram();
  let rest = words;
  for (;;) {
    const next = command.commands.find((each) => each.name() === rest[0]);
    if (next === undefined) {
      return [command, rest];
    }
    [command, rest] = [next, rest.slice(1)];
  }
}

test.each(whole.map(({ place, text, words }) => [`${place} ${text}`, words] as const))(
  '%s: the command takes it',
  async (_, words) => {
    await idleProgram().parseAsync(words, { from: 'user' });
  },
);

test('a flag that is not there, a value that does not fit and an argument that lacks are not taken', async () => {
  for (const text of [
    'drain',
    'drain a-b --nonsense',
    'lint x --format nonsense',
    'ca-rotation check publish --name x',
  ]) {
    await expect(idleProgram().parseAsync(commandsOf(text)[0]!, { from: 'user' })).rejects.toThrow();
  }
});

const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;

test('every script that a page names is one of package.json', () => {
  const named = lines.flatMap(({ commands, place }) =>
    commands
      .filter(([first, second]) => first === 'npm' && ['run', 'start', 'test'].includes(second!))
      .map(([, second, third]) => [place, second === 'run' ? third! : second!] as const),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(([, script]) => scripts[script] === undefined)).toEqual([]);
});

test('npm start runs the demo, which the end-to-end part of that name compares with both READMEs', () => {
  const { start } = JSON.parse(readFileSync(join(root, '.projen/tasks.json'), 'utf8')).tasks;
  expect(start.steps.at(-1)).toEqual({ exec: 'node dist/cli/main.js demo', receiveArgs: true });
  for (const readme of ['README.md', 'README.ja.md']) {
    const { text } = pages.find(({ path }) => path === readme)!;
    expect(text.indexOf('npm ci && npm start')).toBeLessThan(text.indexOf('cluster-canary preview'));
  }
});

test('every folder of the project that a page goes to is there', () => {
  const missing = lines.filter(({ commands }) =>
    commands.some(
      ([first, folder]) =>
        first === 'cd' && folder!.startsWith('examples/') && !existsSync(join(root, folder!)),
    ),
  );
  expect(missing).toEqual([]);
});
