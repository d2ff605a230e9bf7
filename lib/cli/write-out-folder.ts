import { InvalidInput } from '../problems';

/**
 * Writes the folder of `--out`. Where the operating system refuses it, that is a problem of the argument.
 *
 * @param command how the error names the command
 */
export function writeOutFolder<T>(command: string, folder: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) {
      throw error;
    }
    const allowed =
      code === 'ENOTDIR' || code === 'EEXIST'
        ? 'a folder; there is a file of that name'
        : `a folder that can be made and written to (${code})`;
    throw new InvalidInput(command, [{ path: '--out', value: folder, allowed }]);
  }
}
