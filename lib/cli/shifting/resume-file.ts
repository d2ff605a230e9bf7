import { existsSync } from 'node:fs';
import type { Resume } from '../../shift';

/** A person lets a shift go beyond a pause by making the file of that place: `go-50`. */
export function resumeFile(path: string): Resume {
  return {
    how: `touch ${path}-PLACE, where PLACE is the percent of the way at which it waits`,
    resumed: (place) => Promise.resolve(existsSync(`${path}-${place}`)),
  };
}
