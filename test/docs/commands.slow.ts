import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../lib/cli/program';
import { root } from './documents';
import { whole } from './page-commands';

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

  test.each(commands.map((make) => [make().name(), make()] as const))(
    '%s --help',
    async (name, { options }) => {
      const { status, out } = await run([name, '--help']);
      expect(status).toBe(0);
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
