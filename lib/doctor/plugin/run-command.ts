import { spawn } from 'node:child_process';

/** How a command of a plugin ended. */
export interface CommandEnd {
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
  /** @default - a signal ended it, or it did not start */
  readonly status?: number;
  /** Why it did not end by itself: no time left, too much output, not found. @default - it did */
  readonly why?: string;
  /** In milliseconds. */
  readonly duration: number;
}

/** Where and how a command runs. */
export interface CommandPlace {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** argoproj/argo-cd v3.3.4 cmpserver/plugin/plugin.go: SIGTERM, and SIGKILL five seconds later. In milliseconds. */
const grace = 5_000;
/** Argo CD passes on 100 MB of manifests. In characters. */
const longest = 100_000_000;

/**
 * Runs a command with its own environment and nothing of this one, and ends it with all that it has started: when the time
 * is up, when it writes without an end, when the signal is aborted.
 *
 * @throws the reason of the signal, when it is aborted
 */
export function runCommand(command: readonly string[], place: CommandPlace): Promise<CommandEnd> {
  const { folder, environment, timeout, signal } = place;
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(command[0]!, command.slice(1), {
      cwd: folder,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what it has started ends with it.
      detached: true,
    });
    let [stdout, stderr] = ['', ''];
    let why: string | undefined;
    let killing: NodeJS.Timeout | undefined;
    const end = (reason: string): void => {
      why ??= reason;
      if (killing === undefined && child.pid !== undefined) {
        endGroup(child.pid, 'SIGTERM');
        killing = setTimeout(() => {
          endGroup(child.pid!, 'SIGKILL');
          child.stdout.destroy();
          child.stderr.destroy();
        }, grace);
      }
    };
    const timer = setTimeout(() => end(`it did not end within ${timeout / 1_000} s`), timeout);
    const abort = (): void => end('it was interrupted');
    const done = (): void => {
      clearTimeout(timer);
      clearTimeout(killing);
      signal.removeEventListener('abort', abort);
      if (child.pid !== undefined) {
        // What it left running in the background goes as well.
        endGroup(child.pid, 'SIGKILL');
      }
    };
    signal.addEventListener('abort', abort);
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part.slice(0, longest - stdout.length);
      if (stdout.length >= longest) {
        end('it wrote more than 100 MB to stdout');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr = (stderr + part).slice(-20_000);
    });
    const ended = (status: number | null, failure?: string): void => {
      done();
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const reason = why ?? failure;
      resolve({
        stdout,
        stderr,
        ...(status === null || reason !== undefined ? {} : { status }),
        ...(reason === undefined ? {} : { why: reason }),
        duration: Math.round(performance.now() - began),
      });
    };
    child.on('error', (error: NodeJS.ErrnoException) => ended(null, notStarted(command[0]!, error)));
    child.on('close', (status, killed) => ended(status, killed === null ? undefined : `${killed} ended it`));
    if (signal.aborted) {
      abort();
    }
  });
}

function notStarted(program: string, { code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT'
    ? `${program} is not installed here`
    : `${program} could not be started: ${message}`;
}

function endGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // It has ended already.
  }
}
