import type { AwsClients } from '../aws';
import { askAws } from '../aws';
import { SourceError } from '../shift';

/**
 * Asks AWS for a check.
 *
 * @throws SourceError for every failure; the signal's reason where that is aborted
 */
export async function askAwsSource<Answer>(
  { region }: Pick<AwsClients, 'region'>,
  call: { readonly action: string; readonly subject: string },
  signal: AbortSignal | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await askAws({ ...call, region }, ask);
  } catch (error) {
    signal?.throwIfAborted();
    throw new SourceError((error as Error).message, { cause: error });
  }
}
