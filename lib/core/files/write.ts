import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { FileRefused, oddKind } from './read';
import type { EntryBelow } from './read';

/**
 * Makes a folder, and those above it that are missing. One that is there already, also by a link, is in order.
 *
 * @throws FileRefused where something else is in its place, or in that of one above it
 * @throws Error of the operating system
 */
export function makeFolders(folder: string): void {
  // Node's own `recursive` tries without end where every new name "is not there", as in /proc.
  const missing: string[] = [];
  for (let place = folder; !isFolder(place); place = dirname(place)) {
    missing.unshift(place);
  }
  missing.forEach(make);
}

/** The same for a folder that, where it is made, only its owner can read. */
export function makePrivateFolder(folder: string): void {
  makeFolders(dirname(resolve(folder)));
  if (!isFolder(folder)) {
    mkdirSync(folder, { mode: 0o700 });
  }
}

function make(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(folder)) {
      throw error;
    }
  }
}

function isFolder(place: string): boolean {
  const found = foundAt(place);
  if (found?.isDirectory() === false) {
    throw new FileRefused(place, oddKind(found) ?? 'a file');
  }
  return found !== undefined;
}

function foundAt(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    // A file stands above it: it is found there.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return undefined;
    }
    throw error;
  }
}

/** A file to be written below a folder. */
export interface FileBelow {
  /** Its path below the folder. */
  readonly path: string;
  /** What it is to hold. */
  readonly text: string;
  /** Its permissions. @default - those that it has; of a new one those that the process gives */
  readonly mode?: number;
}

/** What a file is named until it takes its place. */
const temporary = /^\.cluster-canary-[0-9a-f]{16}$/;

/** In milliseconds. A file has its temporary name for as long as it takes to write it. */
const longestWrite = 10 * 60_000;

/** Whether something is a file of {@link writeBelow} that has not taken its place: another run writes it, or was killed. */
export function isTemporary({ path, isFile }: EntryBelow): boolean {
  return isFile && temporary.test(basename(path));
}

/**
 * Writes files below a folder, and nowhere else: no link below it is followed. Each is written beside its place and takes
 * it at once, so that a file that has several names keeps what it holds by the others. Folders are made where they are
 * missing. Nothing is written where one of them is refused. What a run that was killed has left beside the files is removed.
 *
 * @param folder may itself be a link, or be reached by one
 * @throws FileRefused for a link, a folder, a pipe or a device where a file is to be, for anything but a folder where a
 *   folder is to be, and for a path that leads out
 * @throws Error of the operating system
 */
export function writeBelow(folder: string, files: readonly FileBelow[]): void {
  makeFolders(folder);
  const root = realpathSync(folder);
  files.forEach(({ path }) => checkBelow(folder, path));
  files.forEach((file) => write(root, folder, file));
  const folders = new Set(files.map(({ path }) => dirname(join(root, ...partsOf(folder, path)))));
  folders.forEach(removeLeftovers);
}

/**
 * Whether a file could be written by {@link writeBelow}, so that it is known before a long run. A missing folder is in
 * order.
 *
 * @throws FileRefused, and Error of the operating system, as there
 */
export function checkBelow(folder: string, path: string): void {
  const parts = partsOf(folder, path);
  let place = folder;
  for (const [position, part] of parts.entries()) {
    place = join(place, part);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined) {
      return;
    }
    if (position === parts.length - 1) {
      refuseOdd(place, oddKind(found));
      accessSync(place, constants.W_OK);
    } else {
      refuseUnlessFolder(place, found);
    }
  }
}

function partsOf(folder: string, path: string): string[] {
  const parts = normalize(path).split(sep);
  if (isAbsolute(path) || parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new FileRefused(join(folder, path), `no path of a file in ${folder}`);
  }
  return parts;
}

function write(root: string, shown: string, { path, text, mode }: FileBelow): void {
  const parts = partsOf(shown, path);
  const folders = parts.slice(0, -1);
  folders.forEach((_, position) => makeFolder(join(root, ...folders.slice(0, position + 1))));
  const target = join(root, ...parts);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found) {
    refuseOdd(target, oddKind(found));
  }
  const permissions = mode ?? (found && found.mode & 0o777);
  // A name of its own: one that is made of the file's could be too long.
  const beside = join(dirname(target), `.cluster-canary-${randomBytes(8).toString('hex')}`);
  try {
    writeNew(beside, text, permissions);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Files of a run that was killed. Those of one that still runs are younger. */
function removeLeftovers(folder: string): void {
  try {
    for (const name of readdirSync(folder).filter((each) => temporary.test(each))) {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (found?.isFile() && Date.now() - found.mtimeMs > longestWrite) {
        rmSync(join(folder, name), { force: true });
      }
    }
  } catch {
    // Of a folder that can't be listed, or a file of another user: all is written, and they do no harm.
  }
}

/** Nobody but who may read the whole may read the first half. */
function writeNew(file: string, text: string, permissions: number | undefined): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(file, flags, permissions ?? 0o666);
  try {
    if (permissions !== undefined) {
      fchmodSync(descriptor, permissions);
    }
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function makeFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found) {
    refuseUnlessFolder(folder, found);
  } else {
    mkdirSync(folder);
  }
}

function refuseUnlessFolder(place: string, found: Stats): void {
  const kind = oddKind(found);
  refuseOdd(place, kind === 'a folder' ? undefined : (kind ?? 'a file'));
}

function refuseOdd(place: string, kind: string | undefined): void {
  if (kind !== undefined) {
    throw new FileRefused(place, kind);
  }
}

/**
 * Writes a file where it is, for one that nothing can take the place of: a file that is mounted by itself. It is made where
 * it is missing.
 *
 * @throws FileRefused for a link, a file that has several names, a pipe or a device
 * @throws Error of the operating system
 */
export function writeInPlace(file: string, text: string): void {
  const descriptor = opened(file);
  try {
    const found = fstatSync(descriptor);
    const kind = oddKind(found) ?? (found.nlink > 1 ? 'a file that has other names, too' : undefined);
    if (kind !== undefined) {
      throw new FileRefused(file, kind);
    }
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Without waiting for the reader of a pipe. */
function opened(file: string): number {
  const flags =
    constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return openSync(file, flags, 0o666);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const kind = code === 'ELOOP' ? 'a link' : code === 'ENXIO' ? 'a pipe or a socket' : undefined;
    throw kind === undefined ? error : new FileRefused(file, kind);
  }
}
