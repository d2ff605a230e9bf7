/** Files that one process reads: a process for each takes longer than git itself, and all at once may be much. */
export const blobsAtOnce = 500;

/**
 * Takes the contents of files out of what `git cat-file --batch` writes.
 *
 * @see https://git-scm.com/docs/git-cat-file#_batch_output
 * @throws Error where one is missing
 */
export function blobsOf(output: Buffer, count: number): Buffer[] {
  const blobs: Buffer[] = [];
  let at = 0;
  while (blobs.length < count) {
    const end = output.indexOf('\n', at);
    const head = output.toString('latin1', at, end < 0 ? output.length : end);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(head) ?? [];
    if (size === undefined) {
      throw new Error(`git cat-file --batch: ${head === '' ? 'no answer' : head}`);
    }
    const start = end + 1;
    blobs.push(output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
}
