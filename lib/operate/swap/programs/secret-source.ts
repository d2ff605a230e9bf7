import { FileRefused, readBounded, utf8Text } from '../../../core/files/read';
import { oneKeyOf } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { secret, text } from '../../../core/validation/values';

/** Where a secret is read from, each time that it is needed. A swap file never holds the secret itself. */
export type SecretSource =
  | {
      /** Name of an environment variable. */
      readonly env: string;
    }
  | {
      /** Path of a file; white space at its ends is cut. */
      readonly file: string;
    };

const notEmpty = text('a text that is not empty', /\S/);

/** Nothing of it is shown, since the secret itself may stand there. */
export const secretSource: Schema<SecretSource> = secret(
  oneKeyOf<{ readonly env: string; readonly file: string }>(
    { env: notEmpty, file: notEmpty },
    'where it is read from, { env: "NAME" } or { file: "/path" }, and never the secret itself',
  ),
);

/**
 * Reads a secret of one line.
 *
 * @param whatFor for the error: `the token of GitHub`
 * @throws Error where it is not there, or has several lines
 */
export function readSecret(
  whatFor: string,
  source: SecretSource,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const place = 'env' in source ? `the variable ${source.env}` : `the file ${source.file}`;
  const found = ('env' in source ? env[source.env] : textOf(source.file, whatFor))?.trim() ?? '';
  if (found === '' || /[^\x21-\x7e]/.test(found)) {
    throw new Error(`${whatFor} is not there: ${place} is ${found === '' ? 'not set or empty' : 'no token'}`);
  }
  return found;
}

function textOf(file: string, whatFor: string): string {
  try {
    return utf8Text(readBounded(file), file);
  } catch (error) {
    const why = error instanceof FileRefused ? error.reason : (error as NodeJS.ErrnoException).code;
    throw new Error(`${whatFor} can't be read from ${file} (${why})`);
  }
}
