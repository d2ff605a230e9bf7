import type { Dirent } from 'node:fs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Something below a folder that is no folder. */
export interface EntryBelow {
  /** Its path below the folder. */
  readonly path: string;
  /** Whether it is a file: no link, pipe or device. */
  readonly isFile: boolean;
}

/** Everything below a folder that is no folder; no link is followed. */
export function entriesBelow(folder: string): EntryBelow[] {
  const found: EntryBelow[] = [];
  const folders = [''];
  for (let lead = folders.pop(); lead !== undefined; lead = folders.pop()) {
    for (const entry of entriesOf(join(folder, lead))) {
      const path = join(lead, entry.name);
      if (entry.isDirectory()) {
        folders.push(path);
      } else {
        found.push({ path, isFile: entry.isFile() });
      }
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}
