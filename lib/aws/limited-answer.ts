import type { Readable } from 'node:stream';

/** Of one answer of AWS, in bytes: a page of any call that is made here has some hundred kilobytes. */
export const longestAwsAnswer = 32 * 1024 * 1024;

/** Of the body of an answer, in milliseconds: the SDK's own time-outs end with its headers, or count silence alone. */
const longestBody = 60_000;

/**
 * Reads the body of an answer, in place of the SDK's own reader, which takes whatever comes.
 *
 * @throws Error where it is too long, or takes too long
 */
export async function limitedAnswer(
  body: unknown,
  { longest = longestAwsAnswer, timeout = longestBody } = {},
): Promise<Uint8Array> {
  const stream = body as Readable;
  const timer = setTimeout(
    () => stream.destroy(refused(`the answer did not end within ${timeout / 1000} s`)),
    timeout,
  );
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > longest) {
        throw refused(`the answer is longer than ${longest} bytes`);
      }
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    clearTimeout(timer);
  }
}

/** `askAws` takes the code for an answer that is none of AWS. */
function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'EPROTO' });
}
