import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file below a folder with its text. */
export function filesBelow(folder: string): Record<string, string> {
  return Object.fromEntries(
    pathsBelow(folder).map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

/** Folder by folder: a recursive `readdirSync` follows links in Node.js 22, and not in 20. */
function pathsBelow(folder: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pathsBelow(path) : entry.isFile() ? [path] : [];
  });
}
