import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { commands } from '../../lib/cli/program';
import { pages, root } from './documents';
import type { CommandLine } from './shell';
import { commandLinesOf, commandsOf } from './shell';

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

const lines = pages.flatMap(commandLinesOf);
const ours = lines.flatMap((line) =>
  line.commands
    .map((words) => (words[0] === 'npx' && words[1] === '--no-install' ? words.slice(2) : words))
    .filter(([name]) => name === 'cluster-canary')
    .map((words) => ({ ...line, words: words.slice(1) })),
);
/** A synopsis names flags and arguments, and is nothing that one could run. */
const isSynopsis = ({ text, inline }: CommandLine) =>
  /[[<…]|\b(PLAN|SLOT|APP|FILE)\b/.test(text) || (inline && !text.startsWith('npx'));

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

const whole = ours.filter((each) => !isSynopsis(each));

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

/** Milliseconds for a test that runs a process, on a machine that does much else. */
const patience = 60_000;

describe('run as printed', () => {
  const main = join(root, 'dist/cli/main.js');
  const checkout = mkdtempSync(join(tmpdir(), 'cluster-canary-docs-'));
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));
  for (const name of ['examples', 'lib', 'node_modules', 'package.json']) {
    symlinkSync(join(root, name), join(checkout, name));
  }
  mkdirSync(join(checkout, 'out'));

  /** Runs a command in a folder that looks like the checkout, and that may be written to. */
  function run(
    words: readonly string[],
    input = '',
  ): Promise<{ status: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [main, ...words], {
      cwd: checkout,
      env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', NO_COLOR: '1' },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    child.stdin.end(input);
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, out, err })));
  }

  const offline = whole.filter(({ words }) => isOffline(words));
  /** One process for each command, however many pages name it. */
  const results = new Map<string, ReturnType<typeof run>>();
  const once = (words: readonly string[]) => {
    const key = JSON.stringify(words);
    results.set(key, results.get(key) ?? run(words));
    return results.get(key)!;
  };

  test('the commands that reach nothing are among them', () => {
    expect(new Set(offline.map(({ words }) => words[0]))).toEqual(new Set(['lint', 'preview', 'simulate']));
  });

  test.each(offline.map((each) => [`${each.place} ${each.text}`, each] as const))(
    '%s',
    async (_, { words, shown }) => {
      const { status, out, err } = await once(words);
      // Lint finds something in the example: that is what it is for.
      expect({ status, err }).toMatchObject({ status: words[0] === 'lint' ? 1 : 0 });
      if (shown !== undefined) {
        expect(missingFrom(out, shown)).toEqual([]);
      }
    },
    patience,
  );

  test(
    'harden, as a post-renderer',
    async () => {
      const input = readFileSync(join(root, 'examples/lint/rendered.yaml'), 'utf8');
      expect(await run(['harden'], input)).toMatchObject({
        status: 0,
        out: expect.stringContaining('Webhook'),
      });
    },
    patience,
  );

  test.each(idleProgram().commands.map((command) => [command.name()]))(
    '%s --help',
    async (name) => {
      const { status, out } = await run([name, '--help']);
      expect(status).toBe(0);
      const { options } = idleProgram().commands.find((command) => command.name() === name)!;
      expect(options.filter(({ long }) => !out.includes(long!))).toEqual([]);
    },
    patience,
  );
});

/** Whether a command reaches nothing outside, and what it is given is there. */
function isOffline([verb, ...rest]: readonly string[]): boolean {
  const reaching = ['--kubeconfig', '--baseline'];
  return (
    ['lint', 'preview', 'simulate'].includes(verb!) &&
    !rest.some((word) => reaching.includes(word)) &&
    rest.some((word) => word.startsWith('examples/')) &&
    rest
      .filter((word) => /[/.]/.test(word) && !word.startsWith('-'))
      .every((word) => existsSync(join(root, word)))
  );
}

/**
 * Lines that a page shows and that are not printed, in this order. A line that ends with an ellipsis is the beginning of one;
 * an ellipsis alone stands for any others.
 */
function missingFrom(printed: string, shown: string): readonly string[] {
  const rest = printed.split('\n').map((line) => line.trimEnd());
  return shown
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !/^[│├└─ ]*…?$/.test(line))
    .filter((line) => {
      const begins = line.endsWith('…') ? line.slice(0, -1).trimEnd() : undefined;
      const at = rest.findIndex((each) => (begins === undefined ? each === line : each.startsWith(begins)));
      rest.splice(0, at + 1);
      return at < 0;
    });
}
