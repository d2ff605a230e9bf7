import { FileRefused } from '../../../core/files/read';
import { oneKeyOf } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { secret } from '../../../core/validation/values';
import { SourceError } from '../../engine';
import type { CheckContext } from '../check-context';
import { notEmpty } from './schemas';

/** Where a secret is read from, each time that it is needed. A plan never holds the secret itself. */
export type SecretSource =
  | {
      /** Name of an environment variable. */
      readonly env: string;
    }
  | {
      /** Path of a file, as a mounted Kubernetes Secret has one; white space at its ends is cut. */
      readonly file: string;
    };

/** Settings that say where a secret is; nothing of them is shown, since the secret itself may stand there. */
export const secretSource: Schema<SecretSource> = secret(
  oneKeyOf<{ readonly env: string; readonly file: string }>(
    { env: notEmpty, file: notEmpty },
    'where it is read from, { env: "NAME" } or { file: "/path" }, and never the secret itself',
  ),
);

/**
 * Reads a secret.
 *
 * @param whatFor for the error: `the API key of Datadog`
 * @param sources the first of them that is there
 * @throws SourceError where it is not there; the error says where it was looked for
 */
export async function readSecret(
  context: CheckContext,
  whatFor: string,
  sources: readonly SecretSource[],
): Promise<string> {
  for (const source of sources) {
    const secret = 'env' in source ? context.env[source.env] : await readText(context, source.file, whatFor);
    if (secret !== undefined && secret.trim() !== '') {
      return secret.trim();
    }
  }
  const places = sources.map((source) =>
    'env' in source ? `the variable ${source.env}` : `the file ${source.file}`,
  );
  throw new SourceError(`${whatFor} is not there: ${places.join(' or ')} is not set or empty`);
}

async function readText(context: CheckContext, path: string, whatFor: string): Promise<string> {
  try {
    return await context.readFile(path);
  } catch (error) {
    throw new SourceError(`${whatFor} can't be read from ${path}${whyNotRead(error)}`, { cause: error });
  }
}

/** Why a file can't be read, in brackets behind a sentence; nothing where that is not known. */
export function whyNotRead(error: unknown): string {
  const why = error instanceof FileRefused ? error.reason : (error as { code?: string }).code;
  return why === undefined ? '' : ` (${why})`;
}
