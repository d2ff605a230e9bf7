import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { FileRefused } from './file-refused';
import { oddKind } from './kind-of';

/**
 * Writes a file where it is, for one that nothing can take the place of: a file that is mounted by itself. It is made where
 * it is missing.
 *
 * @throws FileRefused for a link, a file that has several names, a pipe or a device
 * @throws Error of the operating system
 */
export function writeInPlace(file: string, text: string): void {
  const descriptor = opened(file);
  try {
    const found = fstatSync(descriptor);
    const kind = oddKind(found) ?? (found.nlink > 1 ? 'a file that has other names, too' : undefined);
    if (kind !== undefined) {
      throw new FileRefused(file, kind);
    }
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Without waiting for the reader of a pipe. */
function opened(file: string): number {
  const flags =
    constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(file, flags, 0o666);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const kind = code === 'ELOOP' ? 'a link' : code === 'ENXIO' ? 'a pipe or a socket' : undefined;
    throw kind === undefined ? error : new FileRefused(file, kind);
  }
}
