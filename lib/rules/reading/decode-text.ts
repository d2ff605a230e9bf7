import { isUtf8 } from 'node:buffer';

/** How much of a file is looked at for zero bytes. */
const head = 8_192;

/**
 * The text of a file.
 *
 * @returns why it is none, where it is binary
 */
export function decodeText(bytes: Buffer):
  | {
      /** The text. */
      readonly text: string;
    }
  | {
      /** Why it is no text. */
      readonly reason: string;
    } {
  if (bytes.subarray(0, head).includes(0)) {
    return { reason: 'binary, not text in UTF-8' };
  }
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { reason: 'not text in UTF-8' };
}
