import { readFileSync } from 'node:fs';
import { InvalidInput } from '../problems';

/**
 * The text of a file that a user has named.
 *
 * @throws InvalidInput where it is a folder: the operating system's error would not say which
 * @throws the operating system's error where it can't be read
 */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') {
      throw new InvalidInput(file, [{ path: file, allowed: 'a file; it is a folder' }]);
    }
    throw error;
  }
}
