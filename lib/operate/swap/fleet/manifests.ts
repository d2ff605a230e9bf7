import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entriesBelow, mostTogether, readBounded } from '../../../core/files/read';
import { errorLine } from '../../../core/validation/problems';
import { decodeText, readManifests } from '../../../lint';
import type { ReadFiles } from '../../ready';

const manifest = /\.(?:ya?ml|json)$/i;

/** The manifests of files, and of every `.yaml`, `.yml` and `.json` below folders. What can't be read has passed nothing. */
export function manifestsBelow(paths: readonly string[], base: string): ReadFiles {
  const objects: ReadFiles['objects'][number][] = [];
  const unreadable: ReadFiles['unreadable'][number][] = [];
  let left = mostTogether;
  const read = (file: string): void => {
    try {
      const bytes = readBounded(file, { longest: left });
      left -= bytes.length;
      const content = decodeText(bytes);
      if ('reason' in content) {
        unreadable.push({ file, reason: content.reason });
        return;
      }
      const found = readManifests(content.text, { file, read: () => content.text });
      objects.push(...found.objects);
      unreadable.push(...found.unreadable);
    } catch (error) {
      unreadable.push({ file, reason: errorLine(error) });
    }
  };
  for (const path of paths.map((each) => resolve(base, each))) {
    try {
      if (!statSync(path).isDirectory()) {
        read(path);
        continue;
      }
      for (const entry of entriesBelow(path).filter((each) => manifest.test(each.path))) {
        const file = join(path, entry.path);
        if (entry.isFile) {
          read(file);
        } else {
          unreadable.push({ file, reason: 'not read: a link or no file; give its path, too, to follow it' });
        }
      }
    } catch (error) {
      unreadable.push({ file: path, reason: errorLine(error) });
    }
  }
  return { objects, unreadable, templates: [] };
}
