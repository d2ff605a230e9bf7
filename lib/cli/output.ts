import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine, plainJson, plainLines } from '../core/printable-text';

/** Colours, and that they end. What hides text (8) is none. */
const colour = /(\u001b\[(?:[0-79]|[1-9]\d)m)/;

/**
 * Text as it may go to a terminal or the log of a pipeline: nothing in it moves the cursor, hides anything or is a command.
 * Line breaks stay; colours do on a terminal, where programs and this command itself mean them.
 *
 * @param plain what is done to the text between colours
 */
export function guardedText(text: string, isTerminal: boolean, plain = plainLines): string {
  return isTerminal
    ? text
        .split(colour)
        .map((part, index) => (index % 2 === 1 ? part : plain(part)))
        .join('')
    : plain(text);
}

let isExact = false;

/** Writes without the guard: documents, which programs read, and what draws lines of a terminal anew. */
export function exactly<T>(write: () => T): T {
  const before = isExact;
  isExact = true;
  try {
    return write();
  } finally {
    isExact = before;
  }
}

/** What a stream writes in place of what it is given; a document stays as it is. */
export function asWritten(chunk: unknown, isTerminal: boolean): unknown {
  if (isExact || (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))) {
    return chunk;
  }
  return guardedText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(), isTerminal);
}

/** It ran, and something is wrong: a shift did not complete, say. */
export const somethingWrong = 1;

/** It could not run: bad input, or a program that can't be planned. */
export const couldNotRun = 2;

/** The user ended it (128 and the number of SIGINT). */
export const interruptedStatus = 130;

/**
 * Sends everything that is written to stdout to stderr instead: stdout is for the result alone, and a program
 * that is run may write to it.
 *
 * @returns a function that ends it
 */
export function stdoutToStderr(): () => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return () => {
    process.stdout.write = write;
  };
}

/** A document as it is printed, without characters that a terminal would obey. */
export function jsonText(document: unknown): string {
  return `${plainJson(JSON.stringify(document, null, 2))}\n`;
}

/**
 * Writes lines to stdout, and waits until a pipe has taken them. What is in a line never begins another one. A reader that
 * wants no more (`| head`) is no error; any other failure is reported by {@link couldNotWrite}.
 */
export async function writeOut(lines: readonly string[]): Promise<void> {
  await written(linesText(lines, process.stdout.isTTY), true);
}

/**
 * Writes a document to stdout, to the byte. A part of it is worth nothing: a reader that goes before the end is a failure,
 * too.
 *
 * @param mayEndEarly for a reader that may want no more
 */
export async function writeDocument(text: string, mayEndEarly = false): Promise<void> {
  await exactly(() => written(text, mayEndEarly));
}

async function written(text: string, mayEndEarly: boolean): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) =>
    process.stdout.write(text, resolve),
  );
  if (error && !(mayEndEarly && error.code === 'EPIPE')) {
    couldNotWrite('result', error);
  }
}

/** The lines of a text whose values its module has guarded, as those are that this package exports. */
export function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

/**
 * The lines of a text that may have several of others, as errors and reasons do: only the first begins where lines of this
 * command do.
 */
export function hangingLines(text: string): readonly string[] {
  const [head = '', ...rest] = text.split('\n');
  return [head, ...rest.map((line) => (/^( {2}|$)/.test(line) ? line : `  ${line}`))];
}

/** As wide as a line for a person is; those of several fleets stand two further in. */
const widest = 98;

/**
 * A line that is broken between words where it is too wide for a terminal.
 *
 * @param indent what each further line begins with
 */
export function wrapped(line: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > widest) {
    const begin = /^ */.exec(rest)![0].length;
    const before = rest.lastIndexOf(' ', widest);
    const at = before > begin ? before : rest.indexOf(' ', widest);
    if (at < 0) {
      break;
    }
    lines.push(rest.slice(0, at));
    rest = `${indent}${rest.slice(at + 1)}`;
  }
  return [...lines, rest];
}

/** Writes lines to stderr. What is in a line never begins another one. */
export function writeNotes(...lines: readonly string[]): void {
  if (lines.length > 0) {
    process.stderr.write(linesText(lines, process.stderr.isTTY));
  }
}

/** Writes the last lines to stderr, and waits until a pipe has taken them. */
function writeLastNotes(...lines: readonly string[]): Promise<void> {
  return new Promise((resolve) =>
    process.stderr.write(linesText(lines, process.stderr.isTTY), () => resolve()),
  );
}

/**
 * Lines as they are written, one each.
 *
 * @param isTerminal whether colours stay
 */
export function linesText(lines: readonly string[], isTerminal = false): string {
  return lines.map((each) => `${guardedText(each, isTerminal, oneLine)}\n`).join('');
}

/** What was reported already, so that it is reported once. */
const told = new Set<string>();

/**
 * Says on stderr that something that was asked for could not be written. The process then does not end with 0; a status
 * that says more stays.
 *
 * @param what `result`, `report`
 */
export function couldNotWrite(what: string, { message }: Error): void {
  if (told.size === 0) {
    process.once('exit', (status) => {
      if (status === 0) {
        process.exitCode = somethingWrong;
      }
    });
  }
  const line = `error: no ${what}: ${message}`;
  if (!told.has(line)) {
    told.add(line);
    writeNotes(line);
  }
}

/**
 * Watches for a program that ends the process, which would else look like success.
 *
 * @returns a function that ends it
 */
export function refuseToExit(): () => void {
  const onExit = (code: number): void => {
    if (code === interruptedStatus) {
      return;
    }
    process.exitCode = couldNotRun;
    try {
      writeSync(2, 'error: the program ended the process (process.exit) before its plan was complete\n');
    } catch {
      // The status says it.
    }
  };
  process.once('exit', onExit);
  return () => {
    process.off('exit', onExit);
  };
}

/** Columns of a terminal. A pseudo-terminal whose size was never set has 0: some pipelines and `docker run -t` make such. */
export function widthOf({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns <= 0 ? 80 : columns;
}

/** Whether colours are wanted where text goes: https://no-color.org */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && !process.env['NO_COLOR'];
}

/** By name: their classes are in modules that a command may not have loaded. */
const expectedErrors = new Set([
  'AwsError',
  'FileRefused',
  'FleetNotRead',
  'InvalidInput',
  'KubernetesError',
  'LeaseTaken',
  'NewerLease',
  'PreviewFailed',
  'ProgramUnreachable',
  'RouterError',
  'SecretMissing',
]);

/**
 * Says on stderr what went wrong; our stack trace only where the error is unexpected. An error may have several lines, of
 * which others wrote some: only the first begins where lines of this command do.
 */
export function reportError(error: unknown): Promise<void> {
  const { name, message, stack } = error as Error;
  const expected = expectedErrors.has(name) || isSystemError(error);
  return writeLastNotes(...hangingLines(`error: ${expected ? message : (stack ?? message)}`));
}

/** What the operating system answers to the opening or writing of a file. */
function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** The version of this package. */
export function version(): string {
  const manifest = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
