import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a command left behind. */
export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The project's folder. */
export const root = join(__dirname, '..', '..');

/** A folder for one test file's output; removed after it. */
export const scratch = mkdtempSync(join(tmpdir(), 'cluster-canary-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The library as `compile-library.ts` left it: `dist`, `package.json` and `node_modules`. */
const library = process.env['COMPILED_LIBRARY']!;

/** The command line, below a folder that is like the package's own. */
export const main = ((): string => {
  for (const entry of ['dist', 'package.json', 'node_modules']) {
    symlinkSync(join(library, entry), join(scratch, entry));
  }
  return join(scratch, 'dist', 'cli', 'main.js');
})();

/** The folder of a program of the tests. */
export function program(name: string): string {
  return join(root, 'test', 'pulumi', 'preview', 'programs', name);
}

/** How a process is started. */
export interface Start {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Text on stderr at which the process is interrupted, twice at most: a third signal might meet it at its end. */
  readonly signalAt?: string | RegExp;
  /** @default 'SIGINT' */
  readonly signal?: NodeJS.Signals;
}

/** Runs `cluster-canary` to its end. */
export function clusterCanary(args: readonly string[], start: Start = {}): Promise<Result> {
  return node([main, ...args], start);
}

/** Runs Node to its end. */
export function node(
  args: readonly string[],
  { env, cwd = root, signalAt, signal = 'SIGINT' }: Start = {},
): Promise<Result> {
  const child = spawn(process.execPath, args, {
    cwd,
    // The tests themselves may have been started by nohup.
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_NO_WARNINGS: '1',
      NODE_DISABLE_COMPILE_CACHE: '1',
      _: '',
      ...env,
    },
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  let signals = 0;
  child.stdout.on('data', (data: Buffer) => stdout.push(data));
  child.stderr.on('data', (data: Buffer) => {
    stderr.push(data);
    if (signalAt !== undefined && signals < 2 && data.toString().search(signalAt) >= 0) {
      signals += 1;
      child.kill(signal);
    }
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({
        status,
        stdout: Buffer.concat(stdout).toString(),
        stderr: withoutProgress(Buffer.concat(stderr).toString()),
      }),
    );
  });
}

/** Progress comes on slow machines only. */
export function withoutProgress(text: string): string {
  return text.replace(
    /^(resources registered: \d+|files read: \d+|runs simulated: \d+ of \d+) \(\d+ s\)\n/gm,
    '',
  );
}
