import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { KeptOutput } from './kept-output';
import { asLeader, endGroup, isEmptyGroup, signalGroup, watchGroup } from './process-group';
import type { ProgramCall } from './program-call';
import type { OwnEnd, ProgramEnd, StoppedEnd } from './program-end';
import { WholeLines } from './whole-lines';

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
