import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FileRefused, readBounded, utf8Text } from '../../core/files/read';
import { makePrivateFolder, writeBelow } from '../../core/files/write';
import { errorLine } from '../../core/validation/problems';
import { text } from '../../core/validation/values';
import { historyKind, newestShifts } from './history-kind';
import type { ShiftHistory } from './history-kind';
import { keptText, longestShift, readKept, shiftIdForm } from './kept-shift';
import type { KeptShift } from './kept-shift';

/** Shifts in a folder of this machine: a JSON file each. A relative path starts from the folder of the plan. */
export const folder = historyKind<string>({
  settings: text('the path of a folder', /^[^\0]+$/),
  open: (path, base) =>
    Promise.resolve({ history: folderHistory(resolve(base, path), path), close: () => undefined }),
});

/**
 * A file for each shift, which only its owner can read. A folder that is missing is made.
 *
 * @param shown how the folder is named in messages
 */
export function folderHistory(place: string, shown = place): ShiftHistory {
  const fileOf = (id: string): string => `${id}.json`;
  const read = (id: string): Promise<KeptShift | string | undefined> =>
    Promise.resolve().then(() => readFile(join(place, fileOf(id))));
  return {
    name: `folder ${shown}`,
    // Like the other kinds it answers later, with an error as well.
    keep: (shift) => Promise.resolve().then(() => write(place, fileOf(shift.run.id), keptText(shift))),
    list: async (query) => {
      const names = existsSync(place) ? readdirSync(place) : [];
      // Swaps may be in the same folder.
      const ids = names.flatMap((name) => {
        const id = name.replace(/\.json$/, '');
        return fileOf(id) === name && shiftIdForm.test(id) ? [id] : [];
      });
      return newestShifts(ids, query, read);
    },
    read,
  };
}

function write(place: string, path: string, kept: string): void {
  makePrivateFolder(place);
  if (!existsSync(join(place, path))) {
    writeBelow(place, [{ path, text: kept, mode: 0o600 }]);
  }
}

function readFile(file: string): KeptShift | string | undefined {
  try {
    return readKept(file, utf8Text(readBounded(file, { longest: longestShift, refuseLink: true }), file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      return undefined;
    }
    // What the operating system says of a link does not name it.
    return errorLine(code === 'ELOOP' ? new FileRefused(file, 'a link, which is not followed') : error);
  }
}
