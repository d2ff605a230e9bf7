import { whyNotUtf8 } from '../../files';

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
  const reason = whyNotUtf8(bytes);
  return reason === undefined ? { text: bytes.toString('utf8') } : { reason };
}
