import { FileRefused, readBounded, utf8Text } from '../files';
import { InvalidInput } from './invalid-input';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

/**
 * The text of a file that a user has named.
 *
 * @param what completes the sentence "… must be": `a plan, in YAML or JSON`
 * @throws InvalidInput where it can't be read: the operating system's error does not say what was wanted
 */
export function readText(file: string, what: string): string {
  try {
    return utf8Text(readBounded(file), file);
  } catch (error) {
    throw new InvalidInput(file, [{ path: file, allowed: allowedFor(error, what) }]);
  }
}

function allowedFor(error: unknown, what: string): string {
  if (error instanceof FileRefused) {
    return `${error.reason === 'a folder' ? 'a file' : what}; it is ${error.reason}`;
  }
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${what}; ${reasons[code] ?? `it can not be read (${code})`}`;
}
