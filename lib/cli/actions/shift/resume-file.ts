import { statSync } from 'node:fs';
import type { Resume } from '../../../shift/engine';

/**
 * A person lets a shift go beyond a pause by making the file of that place: `go-50`. It counts once: if a person holds the shift at
 * the same place once more, the file has to be touched once more.
 */
export function resumeFile(path: string): Resume {
  const counted = new Map<number, string>();
  return {
    how: `touch ${path}-PLACE, where PLACE is the percent of the way at which it waits`,
    resumed: (place) => {
      const found = foundAt(`${path}-${place}`);
      const isNew = found !== undefined && found !== counted.get(place);
      if (isNew) {
        counted.set(place, found);
      }
      return Promise.resolve(isNew);
    },
  };
}

/** What a file is known by; another one once it was touched. */
function foundAt(file: string): string | undefined {
  try {
    const { ino, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}
