import type { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { oneLine } from '../core/printable-text';

/** Where a person is asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks a person.
 *
 * @param signal ends the question
 * @param terminal @default - standard input and standard error: standard output is for the report alone
 * @returns the answer without spaces around it; empty where the input or the question ended
 */
export async function ask(
  question: string,
  signal?: AbortSignal,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  // The terminal itself echoes what is typed; readline would move the cursor.
  const asking = createInterface({ input, output, terminal: false });
  // Who ends the input says nothing, and so does a terminal that is gone.
  const ended = new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''));
    signal?.addEventListener('abort', () => asking.close());
    input.once('error', () => resolve(''));
    (asking as EventEmitter).once('error', () => resolve(''));
  });
  try {
    return (await Promise.race([asking.question(oneLine(question)), ended])).trim();
  } finally {
    asking.close();
  }
}
