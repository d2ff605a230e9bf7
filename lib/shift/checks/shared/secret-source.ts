import { SecretMissing, readSecret as readFrom } from '../../../core/secret-source';
import type { SecretSource } from '../../../core/secret-source';
import { SourceError } from '../../engine';
import type { CheckContext } from '../check-context';

/**
 * Reads a secret that a check sends to its source.
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
  try {
    return await readFrom(context, whatFor, sources);
  } catch (error) {
    throw error instanceof SecretMissing ? new SourceError(error.message, { cause: error.cause }) : error;
  }
}
