import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Lock } from './lock';
import { locked } from './lock';

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

/** Says a line of progress. */
export type Say = (line: string) => void;

/** Fills a folder beside its place, and moves it there when it is complete: all or nothing, and by one process. */
export function fillFolder(
  folder: string,
  say: Say,
  fill: (beside: string, lock: Lock) => Promise<void>,
): Promise<void> {
  return oneByOne(folder, say, async (lock) => {
    const beside = `${folder}.${process.pid}`;
    removeLeftOvers(folder);
    mkdirSync(beside, { recursive: true });
    try {
      await fill(beside, lock);
      writeFileSync(join(beside, mark), '');
      rmSync(folder, { recursive: true, force: true });
      renameSync(beside, folder);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  });
}

/** Fills a folder in its place, for what can't be moved, by one process: one that is not complete is made anew. */
export function fillInPlace(folder: string, say: Say, fill: (lock: Lock) => Promise<void>): Promise<void> {
  return oneByOne(folder, say, async (lock) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await fill(lock);
    writeFileSync(join(folder, mark), '');
  });
}

/** Fills a folder that another process has not filled in the meantime. */
async function oneByOne(folder: string, say: Say, fill: (lock: Lock) => Promise<void>): Promise<void> {
  await alone(folder, say, async (lock) => {
    if (!isComplete(folder)) {
      await fill(lock);
    }
  });
}

/** Does something to a path in the cache while no other process does. */
export function alone(path: string, say: Say, work: (lock: Lock) => Promise<void>): Promise<void> {
  const { dir, base } = parse(path);
  return locked(join(dir, '.locks', base), work, () => say(`waiting for another run that provides ${base}`));
}

/** Removes what processes left behind that were killed while they made this file or folder. The caller holds its lock. */
export function removeLeftOvers(path: string): void {
  const { dir, base } = parse(path);
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    if (name.startsWith(`${base}.`) && /^\d+$/.test(name.slice(base.length + 1))) {
      rmSync(join(dir, name), { recursive: true, force: true });
    }
  }
}
