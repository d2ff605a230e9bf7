import { resolve } from 'node:path';
import type { ReadFiles } from '../../../operate/ready';
import { writeNotes } from '../../output';
import { findFiles, readFiles } from '../lint/inputs';
import { materialNotes } from '../lint/notes';

/** Reads manifests below paths that start from a folder. */
export function manifestsBelow(paths: readonly string[], base: string): ReadFiles {
  const { files, unreadable } = findFiles(
    paths.map((path) => resolve(base, path)),
    undefined,
  );
  const material = readFiles(files, () => undefined);
  writeNotes(...materialNotes({ ...material, templates: [] }));
  return { ...material, unreadable: [...unreadable, ...material.unreadable] };
}
