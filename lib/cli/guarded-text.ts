import { plainLines } from '../problems';

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
