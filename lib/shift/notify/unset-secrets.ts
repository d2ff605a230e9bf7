import { processSecrets, readSecret, secretSource } from '../../core/secret-source';
import type { SecretReader, SecretSource } from '../../core/secret-source';
import { isPlainObject } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { longestSecretFile } from './notifier';
import type { SinkSettings } from './settings';

/**
 * Secrets of sinks that are not where they should be, a line each. They are read again for each event, and may come later: a shift
 * begins all the same.
 */
export async function unsetSecrets(
  sinks: readonly SinkSettings[],
  reader: SecretReader = processSecrets(longestSecretFile),
): Promise<readonly string[]> {
  const found = sinks.flatMap((sink, index) => secretsIn(sink, `notify[${index}]`));
  const lines = await Promise.all(
    found.map(([path, source]) =>
      readSecret(reader, path, [source]).then(
        () => [],
        (error: unknown) => [(error as Error).message],
      ),
    ),
  );
  return lines.flat();
}

/** Secrets, by the path of their setting. */
function secretsIn(value: unknown, path: string): readonly (readonly [string, SecretSource])[] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => secretsIn(each, `${path}[${index}]`));
  }
  if (!isPlainObject(value)) {
    return [];
  }
  return problemsOf(secretSource, value).length === 0
    ? [[path, value as unknown as SecretSource]]
    : Object.entries(value).flatMap(([key, each]) => secretsIn(each, `${path}.${key}`));
}
