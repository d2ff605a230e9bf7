import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanUp } from './clean-up';
import type { Patience } from './eventually';
import { eventually } from './eventually';

/** What is started. */
export interface ProcessOptions {
  /** Name for messages and the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Environment, over the test's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the log file, and of the process. */
  readonly folder: string;
}

/** A program that runs beside the test; it is killed when the test file ends. */
export class BenchProcess {
  /** File with everything that it printed, over all its starts. */
  public readonly logFile: string;

  private child?: ChildProcess;
  private ended?: Promise<void>;

  public constructor(private readonly options: ProcessOptions) {
    this.logFile = join(options.folder, `${options.name}.log`);
    onCleanUp(() => this.kill());
  }

  /** Process id while it runs. */
  public get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  /** Whether it runs. */
  public get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts it, and waits until it is ready. */
  public async start(ready: () => Promise<unknown>, patience: Patience = {}): Promise<this> {
    const log = openSync(this.logFile, 'a');
    const { command, args, env, folder } = this.options;
    this.child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const { child } = this;
    let failure: Error | undefined;
    this.ended = new Promise((resolve) => {
      child.on('exit', () => resolve());
      child.on('error', (error) => {
        failure = error;
        resolve();
      });
    });
    await eventually(
      `${this.options.name} ready`,
      async () => {
        if (failure || !this.isRunning) {
          return true;
        }
        return ready();
      },
      patience,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.tail()}`);
    });
    if (failure || !this.isRunning) {
      throw new Error(`${this.options.name} ended at its start: ${failure?.message ?? ''}\n${this.tail()}`);
    }
    return this;
  }

  /** Asks it to end, and waits. */
  public async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.isRunning) {
      this.child!.kill(signal);
    }
    await this.ended;
  }

  /** Ends it at once. */
  public async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** The end of its log. */
  public tail(lines = 20): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }
}
