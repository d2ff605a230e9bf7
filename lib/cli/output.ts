import { writeSync } from 'node:fs';
import { couldNotRun, interrupted, somethingWrong } from './exit-status';

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

/** A document as it is printed. */
export function jsonText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * Writes text to stdout, and waits until a pipe has taken it. A reader that wants no more (`| head`) is no error; any other
 * failure is told by {@link couldNotWrite}.
 */
export async function writeOut(text: string): Promise<void> {
  const error = await written(text);
  if (error && error.code !== 'EPIPE') {
    couldNotWrite('result', error);
  }
}

/** Writes a document to stdout. A part of it is worth nothing: a reader that goes before the end is a failure, too. */
export async function writeDocument(text: string): Promise<void> {
  const error = await written(text);
  if (error) {
    couldNotWrite('result', error);
  }
}

function written(text: string): Promise<NodeJS.ErrnoException | null | undefined> {
  return new Promise((resolve) => process.stdout.write(text, resolve));
}

/** What was told already, so that it is told once. */
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
  const line = `error: no ${what}: ${message}\n`;
  if (!told.has(line)) {
    told.add(line);
    process.stderr.write(line);
  }
}

/**
 * Watches for a program that ends the process, which would else look like success.
 *
 * @returns a function that ends it
 */
export function refuseToExit(): () => void {
  const onExit = (code: number): void => {
    if (code === interrupted) {
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

/** Whether colours are wanted where text goes: https://no-color.org */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && !process.env['NO_COLOR'];
}
