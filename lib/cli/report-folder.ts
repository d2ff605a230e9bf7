import { mkdirSync } from 'node:fs';
import { InvalidInput } from '../problems';

/**
 * Makes the folder of `--report`: one that can't be written is better known before than after a long run.
 *
 * @throws InvalidInput where it can't be made
 */
export function makeReportFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const allowed = ['EEXIST', 'ENOTDIR'].includes(code)
      ? 'a folder; there is a file of that name'
      : `a folder that can be made (${code})`;
    throw new InvalidInput('--report', [{ path: '--report', value: folder, allowed }]);
  }
}
