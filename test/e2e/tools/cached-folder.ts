import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Name of the file that says that a folder is complete. */
const mark = '.complete';

/** A short key of what a folder is made from. */
export function keyOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  parts.forEach((part) => hash.update(part).update('\0'));
  return hash.digest('hex').slice(0, 16);
}

/** Whether a folder was filled to the end. */
export function isComplete(folder: string): boolean {
  return existsSync(join(folder, mark));
}

/** Fills a folder beside its place, and moves it there when it is complete: all or nothing. */
export async function fillFolder(folder: string, fill: (beside: string) => Promise<void>): Promise<void> {
  removeLeftOvers(folder);
  const beside = `${folder}.${process.pid}`;
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true });
  try {
    await fill(beside);
    writeFileSync(join(beside, mark), '');
    rmSync(folder, { recursive: true, force: true });
    renameSync(beside, folder);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** Fills a folder in its place, for what can't be moved: one that is not complete is made anew. */
export async function fillInPlace(folder: string, fill: () => Promise<void>): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill();
  writeFileSync(join(folder, mark), '');
}

/** Removes what processes left behind that were killed while they made this file or folder. */
export function removeLeftOvers(folder: string): void {
  const parent = dirname(folder);
  const lead = `${basename(folder)}.`;
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    if (name.startsWith(lead) && !existsSync(`/proc/${name.slice(lead.length)}`)) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}
