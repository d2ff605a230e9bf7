import { Readable, Writable } from 'node:stream';
import type * as Output from '../../lib/cli/output';
import type * as Program from '../../lib/cli/program';
import type * as Run from '../../lib/cli/run';
import type { Result, Start } from './run-cli';
import { root, withoutProgress } from './run-cli';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `cluster-canary` to its end in this process, with its streams, environment and exit status, and modules that are new each
 * time. It takes a tenth of the time that a process of its own takes, and runs one by one. It does not show that a process ends by
 * itself, what signals do, or programs that a command loads: for these there is `run-cli.ts`.
 */
export function clusterCanary(
  args: readonly string[],
  start: Pick<Start, 'env' | 'cwd'> = {},
): Promise<Result> {
  const result = last.then(() => runHere(args, start));
  last = result.catch(() => undefined);
  return result;
}

async function runHere(
  args: readonly string[],
  { env, cwd = root }: Pick<Start, 'env' | 'cwd'>,
): Promise<Result> {
  const restore = [keepStreams(), keepListeners(), keepState()];
  const [stdout, stderr] = [new Text(), new Text()];
  const others = process.listeners('exit');
  for (const [name, stream] of Object.entries({ stdin: Readable.from([]), stdout, stderr })) {
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
  process.env = { ...process.env, NODE_OPTIONS: '', _: '', ...env };
  process.exitCode = undefined;
  process.chdir(cwd);
  const exited = new Promise<void>((resolve) => {
    process.exit = ((status?: number) => {
      process.exitCode = status ?? process.exitCode;
      resolve();
    }) as typeof process.exit;
  });
  try {
    jest.resetModules();
    const program = require('../../lib/cli/program') as typeof Program;
    const { done } = require('../../lib/cli/run') as typeof Run;
    const { version } = require('../../lib/cli/output') as typeof Output;
    const words = ['node', 'cluster-canary', ...args];
    await Promise.race([exited, done(() => program.clusterCanary(version()).parseAsync(words))]);
    const status = (): number => Number(process.exitCode ?? 0);
    const leaving = process.listeners('exit').filter((each) => !others.includes(each));
    leaving.forEach((each) => each(status()));
    return { status: status(), stdout: stdout.text, stderr: withoutProgress(stderr.text) };
  } finally {
    restore.forEach((each) => each());
  }
}

class Text extends Writable {
  public text = '';

  public override _write(chunk: Buffer, _encoding: string, written: () => void): void {
    this.text += chunk.toString();
    written();
  }
}

function keepStreams(): () => void {
  const streams = ['stdin', 'stdout', 'stderr'].map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const,
  );
  return () => streams.forEach(([name, stream]) => Object.defineProperty(process, name, stream));
}

/** Warnings of Node.js are not what a command says. */
function keepListeners(): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'warning'] as const;
  const before = names.map((name) => [name, process.rawListeners(name) as (() => void)[]] as const);
  process.removeAllListeners('warning');
  return () =>
    before.forEach(([name, listeners]) => {
      process.removeAllListeners(name);
      listeners.forEach((each) => process.on(name, each));
    });
}

function keepState(): () => void {
  const { env, exitCode } = process;
  const exit = Object.getOwnPropertyDescriptor(process, 'exit')!;
  const folder = process.cwd();
  return () => {
    Object.defineProperty(process, 'exit', exit);
    Object.assign(process, { env, exitCode });
    process.chdir(folder);
  };
}
