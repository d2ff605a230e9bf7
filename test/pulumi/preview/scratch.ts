import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../../../lib/core/validation';

/** A folder for one test file; removed after it. */
export const scratch = mkdtempSync(join(tmpdir(), 'cluster-canary-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folders = 0;

/** A new folder with these files. */
export function folder(files: Readonly<Record<string, string>>): string {
  const made = join(scratch, `folder-${(folders += 1)}`);
  mkdirSync(made);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), text);
  }
  return made;
}

/** The lines of the problems that something throws. */
export function problemsOf(action: () => unknown): string[] {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replaceAll(scratch, ''));
  }
  throw new Error('it threw nothing');
}
