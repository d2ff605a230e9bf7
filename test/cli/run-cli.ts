import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

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

/** The command line compiled from its sources, so that the tests need no build and the programs' own compiler is the only one. */
export const main = ((): string => {
  const lib = join(root, 'lib');
  for (const file of readdirSync(lib, { recursive: true }) as string[]) {
    if (file.endsWith('.ts')) {
      const target = join(scratch, 'dist', file.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, compiled(join(lib, file)));
    }
  }
  cpSync(join(root, 'package.json'), join(scratch, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
  return join(scratch, 'dist', 'cli', 'main.js');
})();

function compiled(file: string): string {
  return transformFileSync(file, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    swcrc: false,
  }).code;
}

/** The folder of a program of the tests. */
export function program(name: string): string {
  return join(root, 'test', 'preview', 'programs', name);
}

/** How a process is started. */
export interface Start {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Text on stderr at which the process is interrupted, each time that it comes. */
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
    env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', _: '', ...env },
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data: Buffer) => stdout.push(data));
  child.stderr.on('data', (data: Buffer) => {
    stderr.push(data);
    if (signalAt !== undefined && data.toString().search(signalAt) >= 0) {
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
function withoutProgress(text: string): string {
  return text.replace(/^(resources registered: \d+|files read: \d+|simulating \d+ runs) \(\d+ s\)\n/gm, '');
}
