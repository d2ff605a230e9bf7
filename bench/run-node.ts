import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** What a Node process printed, and what it took from its start to its end. */
export interface Finished {
  readonly output: string;
  readonly seconds: number;
  /** Processor time of all threads: garbage collection runs beside the program. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** The checkout. */
export const root = join(__dirname, '..');

/** Lets Node run TypeScript. */
export const typescript = ['-r', 'ts-node/register/transpile-only'];

/**
 * Runs Node in a process of its own, without caches and options of the environment.
 *
 * @param program default: the Node.js of this process
 * @throws Error where it fails
 */
export function runNode(args: readonly (string | number)[], program = process.execPath): Finished {
  const { NODE_OPTIONS: _options, NODE_COMPILE_CACHE: _cache, ...env } = process.env;
  const started = performance.now();
  const { status, stdout, stderr, output, error } = spawnSync(
    program,
    ['-r', join(__dirname, 'report-usage.cjs'), ...args.map(String)],
    { cwd: root, env, encoding: 'utf8', maxBuffer: Infinity, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) {
    throw new Error(`node ${args.join(' ')}: exit status ${status}\n${stderr}`, { cause: error });
  }
  const usage = JSON.parse(output[3]!) as Pick<Finished, 'cpuSeconds' | 'peakMegabytes'>;
  return { output: stdout, seconds, ...usage };
}
