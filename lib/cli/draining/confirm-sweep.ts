import type { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Leftover } from '../../drain';
import { leftoverText } from '../../drain';
import { oneLine } from '../../problems';
import { linesText } from '../output';

/** Where a person is asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Shows what a sweep would delete, and asks for the name of the cluster. Anything else than that name is a no.
 *
 * @param isConfirmed whether nobody has to be asked
 */
export async function confirmSweep(
  left: readonly Leftover[],
  clusterName: string,
  isConfirmed: boolean,
  // Standard output is for the report alone.
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  output.write(linesText(['To be deleted in AWS:', ...left.map((each) => `  ${leftoverText(each)}`)]));
  if (isConfirmed) {
    return true;
  }
  // The terminal itself echoes what is typed; readline would move the cursor.
  const asking = createInterface({ input, output, terminal: false });
  // Who ends the input says no, and so does a terminal that is gone.
  const ended = new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''));
    input.once('error', () => resolve(''));
    (asking as EventEmitter).once('error', () => resolve(''));
  });
  try {
    const answer = asking.question(oneLine(`Name of the cluster, to delete them (${clusterName}): `));
    return (await Promise.race([answer, ended])).trim() === clusterName;
  } finally {
    asking.close();
  }
}
