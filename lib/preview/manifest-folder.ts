import { lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { entriesBelow, makeFolders, readBounded, writeBelow } from '../files';
import { InvalidInput } from '../problems';
import type { ManifestFile } from './manifest-files';

/** Names the files that a preview wrote, so that the next one may replace them, and nothing else. */
export const listFile = '.cluster-canary-preview.json';

/** How many foreign files an error names. */
const namedFiles = 5;

/**
 * Writes manifests into a folder of their own, all or none: they are written beside it and take its place at
 * once. Files of an earlier preview are replaced.
 *
 * @throws InvalidInput where the folder holds anything that no preview wrote; nothing is written then
 */
export function writeManifests(folder: string, files: readonly ManifestFile[]): void {
  const target = resolve(folder);
  refuseForeignFiles(folder, target);
  makeFolders(dirname(target));
  const beside = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  const [fresh, old] = [join(beside, 'new'), join(beside, 'old')];
  try {
    const list = { schemaVersion: 1, files: files.map(({ path }) => path) };
    writeBelow(fresh, [...files, { path: listFile, text: `${JSON.stringify(list, null, 2)}\n` }]);
    const existed = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
    if (existed) {
      renameSync(target, old);
    }
    try {
      renameSync(fresh, target);
    } catch (error) {
      if (existed) {
        renameSync(old, target);
      }
      throw error;
    }
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function refuseForeignFiles(shown: string, target: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) {
    return;
  }
  if (!found.isDirectory()) {
    throw new InvalidInput('preview', [{ path: '--out', value: shown, allowed: 'a folder, or nothing yet' }]);
  }
  const own = new Set([listFile, ...listedFiles(target)]);
  const foreign = entriesBelow(target).flatMap(({ path }) => (own.has(slashed(path)) ? [] : [slashed(path)]));
  if (foreign.length > 0) {
    const more = foreign.length > namedFiles ? ` and ${foreign.length - namedFiles} more` : '';
    throw new InvalidInput('preview', [
      {
        path: '--out',
        value: shown,
        allowed: `an empty folder, or one that holds nothing but an earlier preview's files; not from a preview: ${foreign
          .slice(0, namedFiles)
          .join(', ')}${more}`,
      },
    ]);
  }
}

/** As the list has it on every system. */
function slashed(path: string): string {
  return path.split(sep).join('/');
}

function listedFiles(target: string): string[] {
  try {
    const { files } = JSON.parse(
      readBounded(join(target, listFile), { refuseLink: true }).toString('utf8'),
    ) as { files?: unknown };
    return Array.isArray(files) ? files.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    // Without a list nothing in the folder is ours.
    return [];
  }
}
