import { FileRefused } from '../../../core/files/read';
import { SourceError } from '../../engine';
import type { CheckContext, SecretSource } from '../check-kind';

export const secretSourceText =
  'where it is read from, { env: "NAME" } or { file: "/path" }, and never the secret itself';

export function isSecretSource(value: unknown): value is SecretSource {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const entries = Object.entries(value);
  const [key, text] = entries[0] ?? [];
  return entries.length === 1 && (key === 'env' || key === 'file') && typeof text === 'string' && text !== '';
}

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
