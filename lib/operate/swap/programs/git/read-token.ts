import { readBounded, utf8Text } from '../../../../core/files/read';
import { whyNotRead } from '../../../../core/secret-source';
import type { SecretSource } from '../../../../core/secret-source';

/**
 * Reads a secret of one line.
 *
 * @param whatFor for the error: `program.git.github.token`
 * @throws Error where it is not there, or has several lines
 */
export function readToken(
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
    throw new Error(`${whatFor} can't be read from ${file}${whyNotRead(error)}`);
  }
}
