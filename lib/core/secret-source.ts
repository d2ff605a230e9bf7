import { FileRefused, readBoundedLater } from './files/read';
import { oneKeyOf } from './validation/collections';
import type { Schema } from './validation/schema';
import { secret, text } from './validation/values';

/** Where a secret is read from, each time that it is needed. A file of settings never holds the secret itself. */
export type SecretSource =
  | {
      /** Name of an environment variable. */
      readonly env: string;
    }
  | {
      /** Path of a file, as a mounted Kubernetes Secret has one; white space at its ends is cut. */
      readonly file: string;
    };

const notEmpty = text('a text that is not empty', /\S/);

/** Settings that say where a secret is; nothing of them is shown, since the secret itself may stand there. */
export const secretSource: Schema<SecretSource> = secret(
  oneKeyOf<{ readonly env: string; readonly file: string }>(
    { env: notEmpty, file: notEmpty },
    'where it is read from, { env: "NAME" } or { file: "/path" }, and never the secret itself',
  ),
);

/** What secrets are read with. */
export interface SecretReader {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file. */
  readonly readFile: (path: string) => Promise<string>;
}

/**
 * Secrets of this process: its environment, and files.
 *
 * @param longest of a file, in bytes
 */
export function processSecrets(longest: number): SecretReader {
  return {
    env: process.env,
    readFile: async (path) => (await readBoundedLater(path, longest)).toString('utf8'),
  };
}

/** A secret is not where it should be. The message says where that is, and nothing of what is there. */
export class SecretMissing extends Error {
  public constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'SecretMissing';
  }
}

/**
 * Reads a secret.
 *
 * @param whatFor for the error: `the API key of Datadog`
 * @param sources the first of them that is there
 * @throws SecretMissing where it is not there; the error says where it was looked for
 */
export async function readSecret(
  reader: SecretReader,
  whatFor: string,
  sources: readonly SecretSource[],
): Promise<string> {
  for (const source of sources) {
    const found = 'env' in source ? reader.env[source.env] : await readText(reader, source.file, whatFor);
    if (found !== undefined && found.trim() !== '') {
      return found.trim();
    }
  }
  const places = sources.map((source) =>
    'env' in source ? `the variable ${source.env}` : `the file ${source.file}`,
  );
  throw new SecretMissing(`${whatFor} is not there: ${places.join(' or ')} is not set or empty`);
}

async function readText(reader: SecretReader, path: string, whatFor: string): Promise<string> {
  try {
    return await reader.readFile(path);
  } catch (error) {
    throw new SecretMissing(`${whatFor} can't be read from ${path}${whyNotRead(error)}`, { cause: error });
  }
}

/** Why a file can't be read, in brackets behind a sentence; nothing where that is not known. */
export function whyNotRead(error: unknown): string {
  const why = error instanceof FileRefused ? error.reason : (error as { code?: string }).code;
  return why === undefined ? '' : ` (${why})`;
}
