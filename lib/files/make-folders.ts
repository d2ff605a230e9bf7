import type { Stats } from 'node:fs';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FileRefused } from './file-refused';
import { oddKind } from './kind-of';

/**
 * Makes a folder, and those above it that are missing. One that is there already, also by a link, is in order.
 *
 * @throws FileRefused where something else is in its place, or in that of one above it
 * @throws Error of the operating system
 */
export function makeFolders(folder: string): void {
  // Node's own `recursive` tries without end where every new name "is not there", as in /proc.
  const missing: string[] = [];
  for (let place = folder; !isFolder(place); place = dirname(place)) {
    missing.unshift(place);
  }
  missing.forEach(make);
}

function make(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(folder)) {
      throw error;
    }
  }
}

function isFolder(place: string): boolean {
  const found = foundAt(place);
  if (found?.isDirectory() === false) {
    throw new FileRefused(place, oddKind(found) ?? 'a file');
  }
  return found !== undefined;
}

function foundAt(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    // A file stands above it: it is found there.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return undefined;
    }
    throw error;
  }
}
