import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onCleanUp } from './clean-up';

/** Compiled. */
export const main = join(__dirname, '../../../dist/cli/main.js');

/** What a command left behind. */
export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface RunningCommand {
  readonly pid: number | undefined;
  /** What it has printed so far. */
  readonly printed: { readonly stdout: string; readonly stderr: string };
  /** As `kill -9`. */
  kill(): void;
  /** As Ctrl-C. */
  interrupt(): void;
  /** Stops it and lets it go on, as a shell's job control does: it knows nothing of the time between. */
  pause(paused: boolean): void;
  readonly result: Promise<CommandResult>;
}

/** Starts the real `cluster-canary`, with these environment variables beside the test's own. */
export function startCommand(
  env: Readonly<Record<string, string | undefined>>,
  ...args: string[]
): RunningCommand {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
  onCleanUp(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (printed.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (printed.stderr += data.toString()));
  const result = new Promise<CommandResult>((resolve) => {
    child.on('close', (status) => resolve({ status, ...printed }));
  });
  return {
    pid: child.pid,
    printed,
    kill: () => void child.kill('SIGKILL'),
    interrupt: () => void child.kill('SIGINT'),
    pause: (paused) => void child.kill(paused ? 'SIGSTOP' : 'SIGCONT'),
    result,
  };
}
