import { spawn } from 'node:child_process';
import type { Lock } from './lock';

/** Where a command runs, and with what around it. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command keeps it until its end, should this process be killed. */
  readonly lock?: Lock;
}

/** Runs a command to its end and answers what it printed; fails with what it said. It ends with this process. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env, lock } = options;
  return new Promise((done, fail) => {
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', command, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(lock ? [lock.descriptor] : [])],
    });
    let output = '';
    let errors = '';
    child.stdout!.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr!.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-4000)));
    child.on('error', (error) => fail(new Error(`${command}: ${error.message}`)));
    child.on('close', (code) =>
      code === 0
        ? done(output)
        : fail(new Error(`${command} ${args.join(' ')}: ${errors.trim() || output.slice(-4000)}`)),
    );
  });
}
