import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { asLeader, endGroup, isEmptyGroup, signalGroup, watchGroup } from './process-group';

/** What is kept of a stream. */
class KeptOutput {
  private parts: Buffer[] = [];
  private length = 0;
  private full = false;

  public constructor(private readonly limit: OutputLimit) {}

  /** Whether there was more than is kept. */
  public get isBeyond(): boolean {
    return this.full;
  }

  /** All that is kept. */
  public get content(): Buffer {
    const { bytes, beyond } = this.limit;
    const all = Buffer.concat(this.parts);
    if (beyond !== 'keepEnd' || all.length <= bytes) {
      return all.subarray(0, bytes);
    }
    // From a whole line on: a secret could not be found in what is left of it.
    const end = all.subarray(all.length - bytes);
    return end.subarray(end.indexOf('\n') + 1);
  }

  /** The next piece. */
  public add(part: Buffer): void {
    const { bytes, beyond } = this.limit;
    if (this.full && beyond !== 'keepEnd') {
      return;
    }
    this.parts.push(part);
    this.length += part.length;
    this.full ||= this.length > bytes;
    // Not with each piece: they may be small.
    if (beyond === 'keepEnd' && this.length > 2 * bytes) {
      this.parts = [Buffer.from(this.content)];
      this.length = this.parts[0]!.length;
    }
  }
}

/** Longest line that is kept, in characters: of more, the end. */
const longest = 64 * 1024;

/**
 * Tells the lines of a stream when they are whole. A stream comes in pieces that end anywhere, and a secret could not be taken
 * out of one that holds its first half.
 */
class WholeLines {
  private begun = '';

  /** @param tell is told each line that is not empty, without spaces around it */
  public constructor(private readonly tell: (line: string) => void) {}

  /** The next piece. */
  public add(text: string): void {
    const lines = (this.begun + text).split('\n');
    this.begun = lines.pop()!.slice(-longest);
    lines.forEach((line) => this.tellTrimmed(line));
  }

  /** The stream has ended. */
  public end(): void {
    this.tellTrimmed(this.begun);
    this.begun = '';
  }

  private tellTrimmed(line: string): void {
    if (line.trim() !== '') {
      this.tell(line.trim());
    }
  }
}

/** Runs a program to its end. */
export type RunProgram = (call: ProgramCall) => Promise<ProgramEnd>;

const defaultGrace = 3_000;

/** What has been written arrives at once; a pipe that is open for longer is held by a process that left the group. In milliseconds. */
const drain = 200;

/** From SIGKILL until a program that can't be ended, as another user's can't, is left alone. In milliseconds. */
const patience = 1_000;

/** The longest timer of Node.js; a longer one would be over at once. */
const longestTimer = 2 ** 31 - 1;

const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };

/**
 * Runs a program in a process group of its own, without a shell, and answers how it ended: it never rejects.
 *
 * A program that has to stop gets SIGTERM, and SIGKILL after its grace, with all that it has started. The answer does not
 * wait for what has left the group (`setsid`), though that may hold stdout and stderr open. Whatever runs in the background
 * when the program has ended may write for as long as the grace, and is ended then.
 */
export const runProgram: RunProgram = async (call) => {
  if (call.signal?.aborted) {
    return { how: 'cancelled', ...nothing };
  }
  const child = started(call);
  if (typeof child === 'string') {
    return { how: 'notStarted', code: child, ...nothing };
  }
  return child.pid === undefined
    ? new Promise((resolve) => {
        child.on('error', (error) => resolve({ how: 'notStarted', code: codeOf(error), ...nothing }));
      })
    : new Promise((resolve) => new Run(call, child, resolve));
};

/** @returns the error's code where the system takes no such arguments or environment; its words may hold them */
function started({ program, args, cwd, env, input }: ProgramCall): ChildProcess | string {
  try {
    return spawn(program, args, {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...asLeader,
    });
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
}

/** One run of a program that was started. */
class Run {
  private readonly output: Readonly<Record<'stdout' | 'stderr', KeptOutput>>;
  private readonly timers: NodeJS.Timeout[] = [];
  private stopped: StoppedEnd | undefined;
  private killed = false;
  private exit: OwnEnd | undefined;
  private finished = false;
  private readonly lines: WholeLines[] = [];

  public constructor(
    private readonly call: ProgramCall,
    private readonly child: ChildProcess,
    private readonly resolve: (end: ProgramEnd) => void,
  ) {
    this.output = { stdout: new KeptOutput(call.stdout), stderr: new KeptOutput(call.stderr) };
    watchGroup(child);
    this.read('stdout', child.stdout!);
    this.read('stderr', child.stderr!);
    // Not every program reads its input.
    child.stdin?.on('error', () => undefined).end(call.input);
    child.on('exit', (status, signal) => this.exited(status, signal));
    child.on('close', () => this.finish());
    // Of a signal that could not be sent; `exit` says the rest.
    child.on('error', () => undefined);
    call.signal?.addEventListener('abort', this.cancel);
    this.after(Math.min(call.timeoutMs, longestTimer), () => this.stop({ how: 'timedOut' }));
  }

  private read(name: 'stdout' | 'stderr', stream: Readable): void {
    const kept = this.output[name];
    const { onLine } = this.call;
    const lines = onLine && new WholeLines(onLine);
    const decoder = new StringDecoder('utf8');
    if (lines) {
      this.lines.push(lines);
    }
    stream
      .on('error', () => undefined)
      .on('data', (part: Buffer) => {
        if (this.stopped?.how === 'tooMuch') {
          return;
        }
        kept.add(part);
        lines?.add(decoder.write(part));
        if (kept.isBeyond && this.call[name].beyond === 'stop') {
          this.stop({ how: 'tooMuch', stream: name });
        }
      });
  }

  private readonly cancel = (): void => this.stop({ how: 'cancelled' });

  private stop(why: StoppedEnd): void {
    if (this.stopped) {
      return;
    }
    if (this.exit) {
      // Only its pipes are left, which end by themselves in time.
      if (why.how === 'cancelled') {
        this.stopped = why;
        this.finish();
      }
      return;
    }
    this.stopped = why;
    signalGroup(this.child, 'SIGTERM');
    this.after(this.call.graceMs ?? defaultGrace, () => this.kill());
  }

  private kill(): void {
    this.killed = true;
    signalGroup(this.child, 'SIGKILL');
    this.after(this.exit ? drain : patience, () => this.finish());
  }

  private exited(status: number | null, signal: NodeJS.Signals | null): void {
    this.exit = signal === null ? { how: 'exited', status: status! } : { how: 'signalled', signal };
    if (!this.stopped) {
      this.after(this.call.graceMs ?? defaultGrace, () => this.finish());
    } else if (this.killed) {
      this.after(drain, () => this.finish());
    } else {
      this.awaitGroup();
    }
  }

  /** Where nothing is left of the group that could clean up, only what has left it holds the streams open. */
  private awaitGroup(): void {
    this.after(drain, () => (isEmptyGroup(this.child) ? this.finish() : this.awaitGroup()));
  }

  private finish(): void {
    const { child, call, output, exit } = this;
    if (this.finished) {
      return;
    }
    this.finished = true;
    this.timers.forEach((timer) => clearTimeout(timer));
    call.signal?.removeEventListener('abort', this.cancel);
    endGroup(child);
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream?.removeAllListeners('data').destroy();
    }
    child.unref();
    this.lines.forEach((lines) => lines.end());
    this.resolve({
      ...(this.stopped ?? exit!),
      stdout: output.stdout.content,
      stderr: output.stderr.content,
    });
  }

  private after(ms: number, act: () => void): void {
    this.timers.push(setTimeout(act, ms));
  }
}

/** How much of what a program writes is kept. */
export interface OutputLimit {
  /** The most that is kept. */
  readonly bytes: number;
  /** What happens with more: the start or the end of all is kept, or the program is stopped. */
  readonly beyond: 'keepStart' | 'keepEnd' | 'stop';
}

/** A program to run. */
export interface ProgramCall {
  /** Name or path of the program. */
  readonly program: string;
  /** Its arguments: no shell reads them. Every user of the machine can, so no secret belongs here. */
  readonly args: readonly string[];
  /** Folder that it runs in. @default - that of this process */
  readonly cwd?: string;
  /** Its whole environment: nothing of this process is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it reads on stdin. @default - nothing */
  readonly input?: string;
  /** The longest run, in milliseconds; it is stopped then. */
  readonly timeoutMs: number;
  /** From SIGTERM to SIGKILL, in milliseconds. @default 3000 - Pulumi's engine leaves an interrupted program five seconds */
  readonly graceMs?: number;
  /** Stops it. @default - none */
  readonly signal?: AbortSignal;
  /** Limit of stdout. */
  readonly stdout: OutputLimit;
  /** Limit of stderr. */
  readonly stderr: OutputLimit;
  /** Receives each line of both streams as soon as it is whole, without spaces around it; empty ones are left out. @default - none */
  readonly onLine?: (line: string) => void;
}

/** Why a program was stopped from here. */
export type StoppedEnd =
  /** It took too long. */
  | { readonly how: 'timedOut' }
  /** The signal was aborted, maybe before the program was started. */
  | { readonly how: 'cancelled' }
  /** It wrote more than its limit. */
  | { readonly how: 'tooMuch'; readonly stream: 'stdout' | 'stderr' };

/** How a program ended by itself. */
export type OwnEnd =
  | { readonly how: 'exited'; readonly status: number }
  /** A signal that did not come from here ended it. */
  | { readonly how: 'signalled'; readonly signal: NodeJS.Signals };

/** How a run ended, and what the program wrote, within the limits. */
export type ProgramEnd = (
  | OwnEnd
  | StoppedEnd
  /** The code is the system's, such as `ENOENT`: no such program, or no such folder to run it in. */
  | { readonly how: 'notStarted'; readonly code: string }
) & { readonly stdout: Buffer; readonly stderr: Buffer };
