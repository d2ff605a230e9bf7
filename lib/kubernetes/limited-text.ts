import { open } from 'node:fs/promises';

/**
 * The text of a file, which may be a pipe or a device without an end.
 *
 * @param longest in bytes
 * @throws Error where it is longer, or can't be read
 */
export async function limitedText(file: string, longest: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const parts: Buffer[] = [];
    let length = 0;
    // The handle is closed below, also where a reader ends early.
    for await (const part of handle.createReadStream({ autoClose: false })) {
      length += (part as Buffer).length;
      if (length > longest) {
        throw new Error(`more than ${longest} bytes`);
      }
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts).toString('utf8');
  } finally {
    await handle.close();
  }
}
