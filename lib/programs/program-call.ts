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
