import type { Stats } from 'node:fs';

/** What something is that is no file of bytes, as a phrase: `a named pipe`. Nothing for a file. */
export function oddKind(found: Stats): string | undefined {
  if (found.isFile()) {
    return undefined;
  }
  if (found.isDirectory()) {
    return 'a folder';
  }
  if (found.isSymbolicLink()) {
    return 'a link';
  }
  return found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device';
}
