import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { entriesBelow, readBounded, utf8Text } from '../../core/files/read';
import { isTemporary, makeFolders, writeBelow } from '../../core/files/write';
import { errorLine } from '../../core/validation/problems';
import { leaseName } from '../../shift/leases';
import { entryText, historyList, readEntry } from './entry';
import type { HistoryEntry, HistoryStore } from './entry';

/** Bytes; an entry that was written here is shorter. */
const longestFile = 65_536;

/** History of a machine: a file for each entry, which only its owner can read. A folder that is missing is made. */
export function folderHistory(folder: string): HistoryStore {
  return {
    name: `folder ${folder}`,
    add: async (entry) => {
      const path = join(entry.fleet, `${leaseName(`${entry.region} ${entry.id}`)}.json`);
      for (const each of [folder, join(folder, entry.fleet)]) {
        makePrivate(each);
      }
      if (!existsSync(join(folder, path))) {
        writeBelow(folder, [{ path, text: `${entryText(entry)}\n`, mode: 0o600 }]);
      }
    },
    list: async (query) => historyList(existsSync(folder) ? filesOf(folder) : [], query),
  };
}

function makePrivate(folder: string): void {
  makeFolders(dirname(resolve(folder)));
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
  }
}

function filesOf(folder: string): readonly (HistoryEntry | string)[] {
  return entriesBelow(folder)
    .filter((entry) => !isTemporary(entry) && entry.path.endsWith('.json'))
    .map(({ path }) => {
      const file = join(folder, path);
      try {
        return readEntry(file, utf8Text(readBounded(file, { longest: longestFile, refuseLink: true }), file));
      } catch (error) {
        return errorLine(error);
      }
    });
}
