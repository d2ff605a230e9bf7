import { writeInPlace } from '../files';
import { linesText, writeNotes } from './output';

/** The kubelet keeps no more of a termination message, in bytes. */
const longest = 4096;

/**
 * Lines as a container's termination message; those that do not fit are counted.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
export function terminationMessage(lines: readonly string[]): string {
  for (let kept = lines.length; kept > 0; kept -= 1) {
    const rest = lines.length - kept;
    const text = linesText([...lines.slice(0, kept), ...(rest > 0 ? [`and ${rest} more`] : [])]);
    if (Buffer.byteLength(text) <= longest) {
      return text;
    }
  }
  return `${linesText(lines.slice(0, 1))
    .slice(0, longest / 4)
    .trimEnd()}\n`;
}

/** Writes lines as a termination message, into a file that is no link. What was done counts, also where nobody can be told so. */
export function writeTerminationMessage(file: string, lines: readonly string[]): void {
  try {
    // The kubelet mounts the file by itself.
    writeInPlace(file, terminationMessage(lines));
  } catch (error) {
    writeNotes(`warning: ${(error as Error).message}`);
  }
}
