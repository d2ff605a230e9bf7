import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  readdirSync,
  statSync,
} from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * A file is not read or written as it is: a link that leads elsewhere, a named pipe, a device, one that is too large. What
 * lies in a folder may be of somebody who wants another file to be read or overwritten, or this process to wait without an
 * end.
 */
export class FileRefused extends Error {
  /**
   * @param file the file, as it was named
   * @param reason what it is, as a phrase: `a named pipe`
   */
  public constructor(
    public readonly file: string,
    public readonly reason: string,
  ) {
    super(`${file}: ${reason}`);
    this.name = 'FileRefused';
  }
}

/** What something is that is no file of bytes, as a phrase: `a named pipe`. Nothing for a file. */
export function oddKind(found: Stats): string | undefined {
  if (found.isFile()) {
    return undefined;
  }
  if (found.isDirectory()) {
    return 'a folder';
  }
  if (found.isSymbolicLink()) {
    return 'a link';
  }
  return found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device';
}

/** As much is read of one file or stream, in bytes. Such a file of tightly packed YAML takes 2 GB of memory. */
export const longestFile = 64 * 2 ** 20;

/** What this process has open. */
const handedOver = /^\/(?:dev\/(?:fd\/\d+|stdin|null)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** As much is read of all files together, in bytes: what is in them takes several times the memory of the text. */
export const mostTogether = 8 * longestFile;

/** How a file is read. */
export interface ReadLimits {
  /** Longest file, in bytes. @default longestFile */
  readonly longest?: number;
  /** The path is not followed if it is a link by now. @default false */
  readonly refuseLink?: boolean;
}

/**
 * The bytes of a file. Never waits for a named pipe, and never reads without an end.
 *
 * Of pipes and devices only those are read that a shell hands over: `<(…)`, `/dev/stdin`.
 *
 * @throws FileRefused for a folder, a socket, a named pipe or a device elsewhere, and for more bytes than are allowed
 * @throws Error of the operating system
 */
export function readBounded(file: string, settings: ReadLimits = {}): Buffer {
  const { longest = longestFile, refuseLink = false } = settings;
  const descriptor = openBounded(file, refuseLink);
  try {
    return readDescriptor(descriptor, file, longest);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The same for a long run: whoever writes to a pipe that was handed over may take their time, and the process goes on
 * meanwhile.
 *
 * @param longest in bytes
 * @throws FileRefused, and Error of the operating system, as there
 */
export async function readBoundedLater(file: string, longest: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  // The stream closes it, also where its reader ends early.
  for await (const part of createReadStream(file, { fd: openBounded(file, false) })) {
    length += (part as Buffer).length;
    refuseLonger(file, length, longest);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts, length);
}

/**
 * The text of a file that was read.
 *
 * @throws FileRefused for bytes that are no text in UTF-8: what a reader would put in their place is not what somebody wrote
 */
export function utf8Text(bytes: Buffer, file: string): string {
  const reason = whyNotUtf8(bytes);
  if (reason !== undefined) {
    throw new FileRefused(file, reason);
  }
  return bytes.toString('utf8');
}

/** How much of a file is looked at for zero bytes. */
const head = 8_192;

/**
 * Why bytes are no text in UTF-8, as a phrase. Nothing where they are.
 *
 * UTF-16 is known by its byte order mark: it is what `>` of Windows PowerShell 5 writes.
 * @see https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_character_encoding?view=powershell-5.1
 */
export function whyNotUtf8(bytes: Buffer): string | undefined {
  if (/^(?:fffe|feff)$/.test(bytes.toString('hex', 0, 2))) {
    return 'text in UTF-16: write it in UTF-8 (in Windows PowerShell: | Out-File -Encoding utf8)';
  }
  if (bytes.subarray(0, head).includes(0)) {
    return 'binary, not text in UTF-8';
  }
  return isUtf8(bytes) ? undefined : 'not text in UTF-8';
}

/** Opens what may be read, without waiting for the writer of a pipe. */
function openBounded(file: string, refuseLink: boolean): number {
  const isHandedOver = handedOver.test(resolve(file));
  if (!isHandedOver) {
    // To open a device may do something, and a socket has an error of its own.
    refuseOdd(file, oddKind(statSync(file)));
  }
  const flags =
    constants.O_RDONLY |
    (isHandedOver ? 0 : (constants.O_NONBLOCK ?? 0)) |
    (refuseLink ? (constants.O_NOFOLLOW ?? 0) : 0);
  const descriptor = openSync(file, flags);
  try {
    const kind = oddKind(fstatSync(descriptor));
    refuseOdd(file, isHandedOver && kind !== 'a folder' ? undefined : kind);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function refuseOdd(file: string, kind: string | undefined): void {
  if (kind !== undefined) {
    throw new FileRefused(file, kind);
  }
}

function refuseLonger(file: string, length: number, longest: number): void {
  if (length > longest) {
    const isWhole = longest % 2 ** 20 === 0;
    throw new FileRefused(file, `more than ${isWhole ? `${longest / 2 ** 20} MiB` : `${longest} bytes`}`);
  }
}

/** In milliseconds. */
const betweenTries = 10;

/**
 * The bytes that an open file or stream has until its end.
 *
 * @param file how an error names it
 * @throws FileRefused where there are more than `longest`
 */
export function readDescriptor(descriptor: number, file: string, longest = longestFile): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(2 ** 18);
    const count = readPart(descriptor, part);
    length += count;
    refuseLonger(file, length, longest);
    if (count === 0) {
      return Buffer.concat(parts, length);
    }
    parts.push(part.subarray(0, count));
  }
}

/** Another process may have set a stream to answer at once. */
function readPart(descriptor: number, part: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, betweenTries);
    }
  }
}

/** Something below a folder that is no folder. */
export interface EntryBelow {
  /** Its path below the folder. */
  readonly path: string;
  /** Whether it is a file: no link, pipe or device. */
  readonly isFile: boolean;
}

/** Everything below a folder that is no folder; no link is followed. */
export function entriesBelow(folder: string): EntryBelow[] {
  const found: EntryBelow[] = [];
  const folders = [''];
  for (let lead = folders.pop(); lead !== undefined; lead = folders.pop()) {
    for (const entry of entriesOf(join(folder, lead))) {
      const path = join(lead, entry.name);
      if (entry.isDirectory()) {
        folders.push(path);
      } else {
        found.push({ path, isFile: entry.isFile() });
      }
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true });
}
