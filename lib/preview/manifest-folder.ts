import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
  mkdirSync(dirname(target), { recursive: true });
  const beside = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  const [fresh, old] = [join(beside, 'new'), join(beside, 'old')];
  try {
    mkdirSync(fresh);
    for (const { path, text } of files) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true });
      writeFileSync(join(fresh, path), text);
    }
    writeFileSync(
      join(fresh, listFile),
      `${JSON.stringify({ schemaVersion: 1, files: files.map(({ path }) => path) }, null, 2)}\n`,
    );
    const existed = existsSync(target);
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
  const foreign = filesBelow(target).filter((path) => !own.has(path));
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

function listedFiles(target: string): string[] {
  try {
    const { files } = JSON.parse(readFileSync(join(target, listFile), 'utf8')) as { files?: unknown };
    return Array.isArray(files) ? files.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    // Without a list nothing in the folder is ours.
    return [];
  }
}

/** Everything that is not a folder; a link is not followed. */
function filesBelow(folder: string, lead = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(folder, entry.name), `${lead}${entry.name}/`)
      : [`${lead}${entry.name}`],
  );
}
