import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wantsColour } from '../../lib/cli/output';
import { Progress } from '../../lib/cli/progress';
import { clusterCanary as ownProcess, program, root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

// A program has the process to itself: `preview.slow.ts` has all others.
test('the program of the current folder', async () => {
  const result = await ownProcess(['preview'], { cwd: program('modules') });
  expect(result).toMatchObject({ status: 0, stderr: '' });
  expect(result.stdout).toContain('modules, stack dev (no configuration file)');
});

describe('input that is wrong', () => {
  test('configuration: file and line, and the program does not run', async () => {
    const torn = join(scratch, 'torn');
    mkdirSync(torn);
    writeFileSync(join(torn, 'Pulumi.yaml'), 'name: torn\nruntime: nodejs\nmain: index.ts\n');
    writeFileSync(join(torn, 'index.ts'), "throw new Error('it must not run');\n");
    writeFileSync(
      join(torn, 'Pulumi.dev.yaml'),
      'config:\n  torn:a: 1\n  torn:token: a-value-that-no-message-shows: x\n  torn:b: [1\n',
    );
    const result = await clusterCanary(['preview', '.'], { cwd: torn });
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toMatch(/^ {2}Pulumi\.dev\.yaml:3:15: must be valid YAML: /m);
    expect(result.stderr).toMatch(/^ {2}Pulumi\.dev\.yaml:5:1: must be valid YAML: /m);
    expect(result.stderr).not.toMatch(/a-value-that-no-message-shows|must not run/);
  });

  test('configuration that the project declares and the stack lacks', async () => {
    const result = await clusterCanary(['preview', program('broken'), '--stack', 'empty']);
    expect(result).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        'error: preview: 1 problem',
        '  test/pulumi/preview/programs/broken/Pulumi.empty.yaml: must be a file that sets broken:needed, which test/pulumi/preview/programs/broken/Pulumi.yaml:5 declares',
        '',
      ].join('\n'),
    });
  });

  test('answers: all problems at once', async () => {
    const file = join(scratch, 'wrong.yaml');
    writeFileSync(file, 'invoke: []\nsecrets: [1]\n');
    const result = await clusterCanary(['preview', program('broken'), '--answers', file]);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain(
      `${file}:1 invoke: unknown key, did you mean "invokes"?; known keys: invokes, stackReferences, secrets`,
    );
    expect(result.stderr).toContain(`${file}:2 secrets: must be a map of configuration keys`);
  });

  test.each([
    [['preview', 'gone'], 'program: "gone": must be a folder with a Pulumi.yaml'],
    [['preview', '--jason'], "error: unknown option '--jason'\n(Did you mean --json?)"],
    [['preview', '--timeout', 'soon'], 'It must be a number of seconds above 0.'],
    [['preview', 'a', 'b'], 'too many arguments'],
    [['previw'], "error: unknown command 'previw'\n(Did you mean preview?)"],
  ])('%j', async (args, message) => {
    const result = await clusterCanary(args);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

describe('the command line', () => {
  test('has examples for a command', async () => {
    const result = await clusterCanary(['preview', '--help']);
    expect(result.status).toBe(0);
    expect(result.stdout).toContain('cluster-canary preview index.ts --json > plan.json');
  });

  test('knows its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await clusterCanary(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('says what there is when it gets nothing to do', async () => {
    const result = await clusterCanary([]);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain('Usage: cluster-canary');
  });
});

describe('colours', () => {
  const { env } = process;
  beforeEach(() => {
    process.env = { ...env };
  });
  afterEach(() => {
    process.env = env;
  });

  test.each([
    [true, '', true],
    [true, '1', false],
    [false, '', false],
  ])('on a terminal: %s, NO_COLOR "%s": %s', (isTTY, noColor, wanted) => {
    process.env['NO_COLOR'] = noColor;
    expect(wantsColour({ isTTY } as NodeJS.WriteStream)).toBe(wanted);
  });
});

describe('progress', () => {
  let said: string;

  beforeEach(() => {
    jest.useFakeTimers();
    said = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  test('is silent for two seconds, and comes every two from then on', () => {
    const progress = new Progress('resources registered');
    progress.update(3);
    jest.advanceTimersByTime(1999);
    expect(said).toBe('');
    jest.advanceTimersByTime(1);
    expect(said).toBe('resources registered: 3 (2 s)\n');
    progress.update(7);
    jest.advanceTimersByTime(2000);
    expect(said).toBe('resources registered: 3 (2 s)\nresources registered: 7 (4 s)\n');
    progress.stop();
    jest.advanceTimersByTime(10_000);
    expect(said).toHaveLength(60);
  });

  test('comes without the timer while a program never rests', () => {
    const progress = new Progress('resources registered');
    jest.setSystemTime(Date.now() + 2500);
    progress.update(1);
    progress.update(2);
    expect(said).toBe('resources registered: 1 (3 s)\n');
    progress.stop();
  });
});
