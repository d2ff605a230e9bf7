import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { isatty } from 'node:tty';
import { asWritten, couldNotWrite } from './output';

/** What waits for a reader of stderr at most, in characters; more is dropped. */
const longestQueue = 1_000_000;

type ErrorListener = (error: NodeJS.ErrnoException) => void;

/**
 * Lets no output stream end or hold up a run: a full disk, a reader that is gone, a terminal that was closed or that takes
 * nothing (Ctrl-S). Without it Node.js ends the process at the first line that can't be written.
 *
 * What can't be written to stderr is lost; what can't be written to stdout is said on stderr, and the process does not end
 * with 0. A reader of stdout that wants no more (`| head`) is no failure, unless it was a document ({@link writeDocument}).
 *
 * Whatever is written, by this command or by a program that it runs, goes through the guard of `guarded-text.ts`.
 */
export function outliveOutput(): void {
  whenUsed('stderr', (stream) => stream.on('error', () => undefined));
  whenUsed('stdout', (stream) =>
    stream.on('error', ((error) => {
      if (error.code !== 'EPIPE') {
        couldNotWrite('result', error);
      }
    }) satisfies ErrorListener),
  );
  leaveClosedTerminals();
}

/** Node.js makes a stream when it is first asked for, which takes milliseconds; many runs write nothing to stderr. */
function whenUsed(name: 'stdout' | 'stderr', listen: (stream: NodeJS.WriteStream) => unknown): void {
  const own = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, {
    ...own,
    get: () => {
      Object.defineProperty(process, name, own);
      const stream = process[name];
      listen(stream);
      neverBlock(stream);
      neverThrow(stream, name);
      guard(stream);
      return stream;
    },
  });
}

/**
 * Node.js waits until a terminal has taken what is written to it, and a pipe not.
 * @see https://nodejs.org/api/process.html#a-note-on-process-io
 */
function neverBlock(stream: NodeJS.WriteStream): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?(blocking: boolean): unknown } };
  if (stream.isTTY) {
    handle?.setBlocking?.(false);
  }
}

function neverThrow(stream: NodeJS.WriteStream, name: 'stdout' | 'stderr'): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]): boolean => {
    const written = given.at(-1);
    const end = (error?: unknown): boolean => {
      process.nextTick(() => typeof written === 'function' && (written as ErrorListener)(error as Error));
      return false;
    };
    if (name === 'stderr' && stream.writableLength > longestQueue) {
      return end();
    }
    try {
      return write(...given);
    } catch (error) {
      return end(error);
    }
  };
}

/** Nothing of others moves the cursor, hides anything or is a command to a pipeline's runner. */
function guard(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    write(asWritten(chunk, stream.isTTY), ...rest);
}

/**
 * At its end Node.js sets the modes of its terminals back, and aborts where one was closed meanwhile; one that is a
 * terminal no more is left alone.
 * @see https://github.com/nodejs/node/pull/58200
 */
function leaveClosedTerminals(): void {
  const terminals = [0, 1, 2].filter(isTerminal);
  process.on('exit', () => {
    for (const descriptor of terminals.filter((each) => !isTerminal(each))) {
      closeSync(descriptor);
      // The lowest number that is free is the one just closed.
      openSync(devNull, 'r+');
    }
  });
}

/** Reads the file first: for what can be no terminal, Node.js does not have to load more. */
function isTerminal(descriptor: number): boolean {
  try {
    const file = fstatSync(descriptor);
    return file.isCharacterDevice() && file.rdev !== statSync(devNull).rdev && isatty(descriptor);
  } catch {
    return false;
  }
}
