import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { reportError } from '../../lib/cli/output';
import { clusterCanary } from '../../lib/cli/program';
import { Progress } from '../../lib/cli/progress';
import { commandsOf, examplesIn, helpOf } from './contract';

const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-help-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const absent = join(folder, 'absent.yaml');
const broken = join(folder, 'broken.yaml');
const wrong = join(folder, 'wrong.yaml');
writeFileSync(broken, 'a: [1\n');
writeFileSync(wrong, 'slots: 3\nunknown: 1\n');

interface Printed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, as far as it comes without a cluster. */
async function run(args: readonly string[], without: readonly string[] = []): Promise<Printed> {
  const texts = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation(((text: string, done?: () => void) => {
      texts[name] += text;
      done?.();
      return true;
    }) as never),
  );
  const program = clusterCanary('1.2.3');
  for (const [words, command] of commandsOf(program)) {
    if (without.includes(words)) {
      command.action(() => undefined);
    }
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return { status: Number(process.exitCode ?? 0), ...texts };
  } catch (error) {
    if (error instanceof CommanderError) {
      return { status: error.exitCode === 0 ? 0 : 2, ...texts };
    }
    await reportError(error);
    return { status: 2, ...texts };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
    process.exitCode = undefined;
  }
}

const commands = commandsOf(clusterCanary('1.2.3'));
const words = commands.map(([name]) => name);

describe.each(words)('cluster-canary %s --help', (name) => {
  let help: Printed;
  beforeAll(async () => {
    help = await run([...name.split(' ').filter(Boolean), '--help']);
  });

  test('is printed on stdout, with how it is called', () => {
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: cluster-canary ?${name} [^]*\n\n[A-Z]`));
  });

  test('is named where a flag is wrong', async () => {
    const args = examplesIn(help.stdout).find((each) => each.join(' ').startsWith(name))!;
    const { status, stdout, stderr } = await run([...args, '--no-such-flag'], words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: unknown option '--no-such-flag'\nRun cluster-canary [a-z -]* ?--help for what/,
    );
  });
});

/** Every option whose value is a path, with a command line that it can be added to. */
const pathOptions = commands.flatMap(([name, command]) => {
  const args = examplesIn(helpOf(command)).find((each) => each.join(' ').startsWith(name)) ?? [];
  return command.options
    .filter(({ flags }) => /(?:folder|file|path)[^ ]*[>\]]|commit>/.test(flags))
    .map(({ long }) => [name, long!, args] as const);
});

describe('an empty path, of a variable that was not set, is not the working folder', () => {
  test('there are such options', () => expect(pathOptions.length).toBeGreaterThan(20));

  test.each(pathOptions)('cluster-canary %s %s', async (_name, option, args) => {
    // The last one counts where the example has the option already.
    const { status, stderr } = await run([...args, option, ''], words);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`\n  ${option}: "": must be a path: "." is the working folder`),
    });
  });

  test.each([
    ['path', ['lint', 'a.yaml', '']],
    ['program', ['preview', '']],
    ['plan', ['shift', '']],
    ['plan', ['simulate', '', '--scenario', 'a.yaml']],
  ])('as the argument %s: %j', async (name, args) => {
    expect(await run(args, words)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`\n  ${name}: "": must be a path`),
    });
  });
});

test.each(['', '#context'])('a hub without a kubeconfig is refused: %j', async (hub) => {
  expect(await run(['drain', 'apps-green', '--hub', hub], words)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      'It must be a kubeconfig, with "#" and a context behind it where wanted.',
    ),
  });
});

test('help on a terminal with 0 columns is that of 80', async () => {
  const stdout = process.stdout as { columns: number | undefined };
  const { columns } = stdout;
  try {
    stdout.columns = 80;
    const usual = await run(['shift', '--help']);
    stdout.columns = 0;
    expect(await run(['shift', '--help'])).toEqual(usual);
    expect(
      Math.max(
        ...usual.stdout
          .split('\nExamples:')[0]!
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(80);
  } finally {
    stdout.columns = columns;
  }
});

const rotation = ['ca-rotation', 'check', 'publish', '--namespace', 'p', '--name', 'g', '--generation', '2'];
const gate = [...rotation, '--service', 'p/g'];
const restart = ['restart-rollout', '--application', 'a', '--namespace', 'n', '--allowed-namespace', 'n'];

describe('bad input: status 2, nothing on stdout, a line for each problem with what is allowed', () => {
  test.each<[string, readonly string[], readonly RegExp[]]>([
    ['a command that there is not', ['shfit'], [/unknown command 'shfit'/, /Did you mean shift\?/]],
    ['no plan', ['shift'], [/missing required argument 'plan'/, /Run cluster-canary shift --help/]],
    ['two plans', ['shift', 'a', 'b'], [/Expected 1 argument but got 2/]],
    [
      'a plan that is not there',
      ['shift', absent],
      [/absent\.yaml: must be a plan, in YAML or JSON; there is no such file/],
    ],
    ['a plan that is no YAML', ['shift', broken], [/broken\.yaml:2:1: must be YAML or JSON/]],
    [
      'a plan with much that is wrong',
      ['shift', wrong],
      [
        /4 problems$/m,
        /wrong\.yaml:1:1 slots: 3: must be a mapping of 2 to 5/,
        / router: is required: a mapping /,
        /wrong\.yaml:2:1 unknown: unknown key; known keys: router, /,
      ],
    ],
    ['a pause that can be none', ['shift', 'p', '--resumed', '100'], [/from 0 to 99/]],
    ['no scenario', ['simulate', 'p'], [/--scenario: is required: the file of a scenario; or --from/]],
    ['no runs', ['simulate', 'p', '--scenario', 's', '--runs', '0'], [/from 1 to 1000000/]],
    ['a scenario without a plan', ['simulate', absent, '--scenario', absent], [/no such file/]],
    ['no set', ['clusters', 'plan'], [/required option '--config <file>'/, /clusters plan --help/]],
    [
      'a set with much that is wrong',
      ['clusters', 'sync', '--config', wrong],
      [/slots: unknown key; known keys: apiVersion/, /spec: is required: an object with selector/],
    ],
    ['a check that there is not', ['doctor', 'clocks'], [/"clocks": must be one of "clock", /]],
    ['a hub that is not there', ['doctor', '--kubeconfig', absent], [/must be a file that can be read/]],
    ['too many calls', ['doctor', '--concurrency', '1e3'], [/from 1 to 999/]],
    [
      'a plugin that can not be run',
      ['doctor', 'plugin', 'app', '--run', '--pass-env', '1'],
      [/--run: true: must be together with --checkout/, /--pass-env: "1": must be the name of a variable/],
    ],
    ['a flag of a command below a command', ['doctor', 'plugin', '--timeout', '1x'], [/at most an hour/]],
    [
      'a slot with two flags that are wrong',
      ['drain', 'apps-green', '--volumes', 'some', '--within', '1x'],
      [/--volumes: "some": must be one of "delete", "keep"/, /--within: "1x": must be a duration/],
    ],
    ['a question that is not asked', ['drain', 'apps-green', '--yes'], [/must be left out without --sweep/]],
    ['no version', ['ready', 'x'], [/required option '--to <version>'/]],
    [
      'nothing to look at, and more',
      ['ready', '--to', '36', '--region', 'x', '--subject', 'eks-insights,all', '--timeout', '2h'],
      [
        /--to: "36": must be a minor version of Kubernetes: 1\.36/,
        /PATH: nothing: must be manifests to look at, or a cluster/,
        /--region: "x": must be left out without --cluster/,
        /--subject: "all": must be one of "eks-health"/,
        /--timeout: .*at most an hour/,
      ],
    ],
    [
      'manifests that are not named',
      ['ready', '--to', '1.36', '--cluster', 'apps', '--subject', 'manifests'],
      [/PATH: nothing: must be files or folders with manifests, with --subject manifests/],
    ],
    [
      'rights as SARIF',
      ['ready', '--to', '1.36', '--rights', '--format', 'sarif'],
      [/--format: "sarif": must be "text" or "json" with --rights/],
    ],
    [
      'a kubeconfig that is not there',
      ['ready', '--to', '1.36', '--kubeconfig', absent],
      [/a file that can be read/],
    ],
    ['a port that is none', ['guard-clocks', '--port', '65536'], [/from 0 to 65535/]],
    ['a guard without a cluster', ['guard-clocks', '--kubeconfig', absent], [/a file that can be read/]],
    ['JSON for Helm', ['harden', '--json'], [/--json: must be together with --check/]],
    ['a format that there is not', ['lint', 'x', '--format', 'xml'], [/choices are text, json, sarif/]],
    [
      'a rule that there is not',
      ['lint', wrong, '--rule', 'X'],
      [/--rule: "X": must be the id of a rule, such as WH06: --list-rules /],
    ],
    [
      'flags that do not go together',
      ['lint', wrong, '--out', 'x', '--context', 'y'],
      [/--out: "x": must be left out without --fix/, /--context: "y": must be left out without --kube/],
    ],
    ['no program', ['preview', absent], [/must be a folder with a Pulumi\.yaml, or a \.ts or \.js file/]],
    ['no time', ['preview', '--timeout', '0'], [/a number of seconds above 0/]],
    [
      'a phase that there is not',
      ['ca-rotation', 'check', 'now', ...gate.slice(3)],
      [/choices are publish, switch, retire/],
    ],
    ['a Service without a namespace', [...rotation, '--service', 'x'], [/must be NAMESPACE\/NAME/]],
    ['a gate without a cluster', [...gate, '--kubeconfig', absent], [/must be a file that can be read/]],
    [
      'Rollouts that may not be touched',
      ['restart-rollout', '--application', 'A B', '--namespace', 'm', '--allowed-namespace', 'n'],
      [/--application: "A B": must be lower-case/, /--namespace: "m": must be one of "n"/],
    ],
    ['a wait that is no time', [...restart, '--wait', 'soon'], [/must be a duration: 1h, 30m, 90s/]],
  ])('%s', async (_name, args, said) => {
    const { status, stdout, stderr } = await run(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toMatch(/^ +at /m);
    said.forEach((each) => expect(stderr).toMatch(each));
  });
});

describe('progress of a long run', () => {
  const lines: string[] = [];
  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  test('comes after two seconds, and again every two', () => {
    const progress = new Progress('files read', { count: 0 });
    jest.advanceTimersByTime(1_900);
    progress.update(3);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(2_100);
    progress.stop();
    jest.advanceTimersByTime(10_000);
    expect(lines).toEqual(['files read: 3 (2 s)\n', 'files read: 3 (4 s)\n']);
  });

  test('says of how many, and goes on to something else', () => {
    const progress = new Progress('runs simulated', { count: 0, total: 50 });
    progress.update(10);
    jest.advanceTimersByTime(2_000);
    progress.about('clusters: 1 of 3');
    progress.about('clusters: 2 of 3');
    jest.advanceTimersByTime(2_000);
    progress.stop();
    expect(lines).toEqual(['runs simulated: 10 of 50 (2 s)\n', 'clusters: 2 of 3 (4 s)\n']);
  });

  test('comes seldom where a wait is long, and without a count where nothing is counted', () => {
    const progress = new Progress('waiting', { interval: 30 });
    jest.advanceTimersByTime(61_000);
    progress.stop();
    expect(lines).toEqual(['waiting (2 s)\n', 'waiting (32 s)\n']);
  });
});
