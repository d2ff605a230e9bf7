import { writeSync } from 'node:fs';
import { couldNotRun, interrupted } from './exit-status';

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

/** Writes text to stdout, and waits until a pipe has taken it. A reader that wants no more (`| head`) is no error. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (error?: NodeJS.ErrnoException | null): void => {
      if (!error) {
        process.stdout.off('error', end);
      }
      // After a failed write the stream emits the error as well, and the listener is still there for it.
      if (error && error.code !== 'EPIPE') {
        reject(error);
      } else {
        resolve();
      }
    };
    process.stdout.once('error', end);
    process.stdout.write(text, end);
  });
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
    writeSync(2, 'error: the program ended the process (process.exit) before its plan was complete\n');
    process.exitCode = couldNotRun;
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
