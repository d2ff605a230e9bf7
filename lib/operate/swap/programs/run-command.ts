import { oneLine } from '../../../core/printable-text';
import type { ProgramEnd, RunProgram } from '../../../core/process/run-program';
import { masked, shortMessage } from '../../../core/redaction';
import { list } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { plainSecrets } from '../../../core/validation/secrets';
import { secret, text, that } from '../../../core/validation/values';

/** A program and its arguments. No shell reads them. Every user of the machine can, so no secret belongs there. */
export const commandSchema: Schema<readonly string[]> = secret(
  that(
    list(text('a text', /^[^\0]*$/, 10_000), 1, 'the name or path of a program and its arguments'),
    'the name or path of a program and its arguments, without a login or a secret in them',
    // Each item is evaluated by itself before.
    (words) =>
      !words.every((word) => typeof word === 'string') ||
      (words[0]?.trim() !== '' && plainSecrets(words).length === 0),
  ),
);

/** More is not kept of what a program answers, in bytes: a preview of some thousand resources. */
const longestAnswer = 8 * 2 ** 20;

/** Of its stderr the end is kept, for an error. In bytes. */
const keptErrors = 20_000;

/** Longest line that is told, in characters. */
const longestLine = 500;

/** How a command is run. */
export interface CommandCall {
  readonly command: readonly string[];
  /** Folder that it runs in. @default - the current one */
  readonly folder?: string;
  /** JSON that it reads on stdin. @default - nothing */
  readonly input?: unknown;
  /** Variables that it gets beside those of this process. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** Receives its lines, fit to be shown. Its stdout is no answer then, and may be of any length. @default - its answer is kept */
  readonly say?: (line: string) => void;
}

/** How it ended by itself. */
export interface CommandEnd {
  readonly status: number;
  readonly stdout: string;
  /** The end of its stderr on one line, without what looks like a secret. */
  readonly said: string;
}

/**
 * Runs a command of a user's own to its end.
 *
 * @throws Error where it can't be started, takes too long, writes too much, or is ended by a signal; the signal's reason where
 *   that is aborted
 */
export async function runCommand(
  run: RunProgram,
  { command, folder, input, env, timeoutMs, graceMs, say }: CommandCall,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const [program = '', ...args] = command;
  const end = await run({
    program,
    args,
    env: { ...process.env, ...env },
    timeoutMs,
    graceMs,
    signal,
    stdout: { bytes: longestAnswer, beyond: say ? 'keepEnd' : 'stop' },
    stderr: { bytes: keptErrors, beyond: 'keepEnd' },
    ...(folder !== undefined && { cwd: folder }),
    ...(input !== undefined && { input: `${JSON.stringify(input)}\n` }),
    ...(say && { onLine: (line: string) => say(shownLine(line)) }),
  });
  signal.throwIfAborted();
  const said = shortMessage(end.stderr.toString('utf8').trim() || (say ? end.stdout.toString('utf8') : ''));
  if (end.how !== 'exited') {
    throw new Error(`${shownLine(program)} ${whyNot(end, timeoutMs)}${said && `: ${said}`}`);
  }
  return { status: end.status, stdout: end.stdout.toString('utf8'), said };
}

function whyNot(end: Exclude<ProgramEnd, { readonly how: 'exited' }>, timeoutMs: number): string {
  switch (end.how) {
    case 'notStarted':
      return end.code === 'ENOENT'
        ? "can't be started: there is no such program, or no such folder to run it in"
        : `can't be started: ${end.code}`;
    case 'timedOut':
      return `did not end within ${timeoutMs / 1000} s`;
    case 'tooMuch':
      return `wrote more than ${longestAnswer / 2 ** 20} MiB`;
    case 'signalled':
      return `was ended by ${end.signal}`;
    case 'cancelled':
      return 'was interrupted';
  }
}

/** One line of others that may be shown: no secret, no control character, no command to the runner of a pipeline. */
export function shownLine(text: string): string {
  const line = oneLine(masked(text));
  return line.length > longestLine ? `${line.slice(0, longestLine - 3)}...` : line;
}
