import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesBelow, readBounded, utf8Text } from '../../core/files/read';
import { isTemporary, makePrivateFolder, writeBelow } from '../../core/files/write';
import { errorLine } from '../../core/validation/problems';
import { shiftIdForm } from '../../shift/history';
import { entryName, entryText, historyList, readEntry } from './entry';
import type { HistoryEntry, HistoryStore } from './entry';

/** Bytes; an entry that was written here is shorter. */
const longestFile = 65_536;

/** History of a machine: a file for each entry, which only its owner can read. A folder that is missing is made. */
export function folderHistory(folder: string): HistoryStore {
  return {
    name: `folder ${folder}`,
    // Like the other stores they answer later, with an error as well.
    add: (entry) => Promise.resolve().then(() => write(folder, entry)),
    list: (query) =>
      Promise.resolve().then(() => historyList(existsSync(folder) ? filesOf(folder) : [], query)),
  };
}

function write(folder: string, entry: HistoryEntry): void {
  const path = join(entry.fleet, `${entryName(entry)}.json`);
  for (const each of [folder, join(folder, entry.fleet)]) {
    makePrivateFolder(each);
  }
  if (!existsSync(join(folder, path))) {
    writeBelow(folder, [{ path, text: `${entryText(entry)}\n`, mode: 0o600 }]);
  }
}

/** The same folder may hold whole shifts. */
function isKeptShift(path: string): boolean {
  return shiftIdForm.test(path.replace(/\.json$/, ''));
}

function filesOf(folder: string): readonly (HistoryEntry | string)[] {
  return entriesBelow(folder)
    .filter((entry) => !isTemporary(entry) && entry.path.endsWith('.json') && !isKeptShift(entry.path))
    .map(({ path }) => {
      const file = join(folder, path);
      try {
        return readEntry(file, utf8Text(readBounded(file, { longest: longestFile, refuseLink: true }), file));
      } catch (error) {
        return errorLine(error);
      }
    });
}
