import { spawn } from 'node:child_process';
import { WholeLines } from './whole-lines';

/** A program to be run. */
export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest run, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the program, and all that it has started. */
  readonly signal?: AbortSignal;
  /** Is told each line that the program writes. @default - nobody is */
  readonly onLine?: (line: string) => void;
  /** Time that an interrupted program has to end by itself, in milliseconds. @default 3000 - Pulumi's engine leaves five seconds */
  readonly graceMs?: number;
}

/** How a run ended. */
export interface ProgramEnd {
  /** Undefined where a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was ended from here, if it was. */
  readonly ended?: 'interrupted' | 'timedOut';
}

/** As much is kept of each stream, in characters: of more, the end. */
const mostKept = 4 * 1024 * 1024;

/**
 * Runs a program in a process group of its own, so that an interrupt reaches what it has started as well.
 *
 * @throws Error where the program can't be started
 */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { command, args, cwd, env, signal, onLine, graceMs = 3_000 } = run;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      resolve({ code: undefined, stdout: '', stderr: '', ended: 'interrupted' });
      return;
    }
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      const lines = new WholeLines((line) => onLine?.(line));
      child[name]
        .setEncoding('utf8')
        .on('data', (text: string) => {
          texts[name] = (texts[name] + text).slice(-mostKept);
          lines.add(text);
        })
        .on('end', () => lines.end());
    }
    let ended: ProgramEnd['ended'];
    let killer: NodeJS.Timeout | undefined;
    const end = (why: NonNullable<ProgramEnd['ended']>): void => {
      if (ended === undefined) {
        ended = why;
        signalGroup(child.pid, 'SIGINT');
        killer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
      }
    };
    const onAbort = (): void => end('interrupted');
    const timer = setTimeout(() => end('timedOut'), run.timeoutMs);
    signal?.addEventListener('abort', onAbort);
    const cleanUp = (): void => {
      clearTimeout(timer);
      clearTimeout(killer);
      signal?.removeEventListener('abort', onAbort);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      cleanUp();
      reject(error.code === 'ENOENT' ? notFound(command, cwd) : error);
    });
    child.on('close', (code) => {
      cleanUp();
      resolve({ code: code ?? undefined, ...texts, ...(ended && { ended }) });
    });
  });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, signal);
    }
  } catch {
    // It has ended meanwhile.
  }
}

function notFound(command: string, cwd: string | undefined): Error {
  const place = cwd === undefined ? '' : `, or the folder ${cwd} is not there`;
  return new Error(`${command} can't be started: it is not on the PATH${place}`);
}
