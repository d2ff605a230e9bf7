import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * Whether a program can be run: one with a slash by its path, any other from PATH.
 *
 * @param folder that it is run in
 */
export function isProgramThere(
  program: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter);
  return folders.some((each) => {
    try {
      const path = resolve(folder, each, program);
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}
