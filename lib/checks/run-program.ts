import { spawn } from 'node:child_process';

/** A program to run. */
export interface ProgramCall {
  /** Name or path of the program, and its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** What it gets on stdin. */
  readonly input: string;
  /** In milliseconds; it is ended then. */
  readonly timeout: number;
  /** Ends it early. @default - none */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface ProgramResult {
  /** Exit status; `null` where a signal ended it. */
  readonly status: number | null;
  /** What it wrote to stdout, up to 100,000 characters. */
  readonly output: string;
  /** Whether it was ended since it took too long. */
  readonly timedOut: boolean;
}

/** Runs a program to its end. */
export type RunProgram = (call: ProgramCall) => Promise<ProgramResult>;

/** More than a check's figures ever take; the rest is thrown away. */
export const longestOutput = 100_000;

/** How long a program that has to end may clean up, in milliseconds; an interrupted `up` leaves three seconds. */
const grace = 1_000;

/**
 * Runs a program in a process group of its own, so that what it has started ends with it.
 *
 * @throws Error where it can't be started; the signal's reason, once it has ended, where that is aborted
 */
export const runProgram: RunProgram = (call) =>
  new Promise((resolve, reject) => {
    if (call.signal?.aborted) {
      reject(call.signal.reason as Error);
      return;
    }
    const [program = '', ...args] = call.command;
    const child = spawn(program, args, {
      env: { ...process.env, ...call.env },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
    });
    if (child.pid === undefined) {
      // It has no pipes either where the system has no more of them.
      child.on('error', reject);
      return;
    }
    let output = '';
    let timedOut = false;
    let last: NodeJS.Timeout | undefined;
    const end = (): void => {
      kill(child.pid, 'SIGTERM');
      last ??= setTimeout(() => {
        kill(child.pid, 'SIGKILL');
        // A process that has left the group may hold it open.
        child.stdout.destroy();
      }, grace);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, call.timeout);
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      clearTimeout(last);
      call.signal?.removeEventListener('abort', end);
      how();
    };
    call.signal?.addEventListener('abort', end);
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output = (output + part).slice(0, longestOutput);
    });
    // Not every program reads its input.
    child.stdin.on('error', () => undefined).end(call.input);
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (status) =>
      settle(() => {
        if (call.signal?.aborted) {
          reject(call.signal.reason as Error);
        } else {
          resolve({ status, output, timedOut });
        }
      }),
    );
  });

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, signal);
    }
  } catch {
    // It has ended already.
  }
}
