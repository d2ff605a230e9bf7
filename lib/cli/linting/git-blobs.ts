import { longestFile, mostTogether } from '../../files';
import { InvalidInput } from '../../problems';

/** Files that one process reads: a process for each takes longer than git itself, and all at once may be much. */
const blobsAtOnce = 500;

/** As many bytes one process reads, beside the last file. */
const bytesAtOnce = 2 ** 26;

/**
 * Why a file is not read: a few bytes of a repository can stand for many, packed ones and one file in a thousand places.
 *
 * @param size in bytes
 * @param before how many bytes the files before it have
 */
export function whyNotRead(size: number, before: number): string | undefined {
  return size > longestFile
    ? `more than ${longestFile / 2 ** 20} MiB`
    : before + size > mostTogether
      ? `the files before it have ${mostTogether / 2 ** 20} MiB together`
      : undefined;
}

/** Files in parts that one process reads. */
export function batches<Entry extends { readonly size: number }>(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const last = parts.at(-1);
    if (last === undefined || last.length === blobsAtOnce || bytes > bytesAtOnce) {
      parts.push([entry]);
      bytes = entry.size;
    } else {
      last.push(entry);
      bytes += entry.size;
    }
  }
  return parts;
}

/**
 * Takes the contents of files out of what `git cat-file --batch` writes.
 *
 * @see https://git-scm.com/docs/git-cat-file#_batch_output
 * @throws InvalidInput where one is missing
 */
export function blobsOf(output: Buffer, count: number): Buffer[] {
  const blobs: Buffer[] = [];
  let at = 0;
  while (blobs.length < count) {
    const end = output.indexOf('\n', at);
    const head = output.toString('latin1', at, end < 0 ? output.length : end);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(head) ?? [];
    if (size === undefined) {
      const said = `git cat-file --batch: ${head === '' ? 'no answer' : head}`;
      throw new InvalidInput('lint', [
        { path: '--against', allowed: `something that git can read: ${said}` },
      ]);
    }
    const start = end + 1;
    blobs.push(output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
}
