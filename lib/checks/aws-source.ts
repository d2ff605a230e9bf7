import type { AwsCall, AwsClients, Page } from '../aws';
import { askAws, AwsError, everyPage } from '../aws';
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

/**
 * All pages of a list of a service of AWS.
 *
 * @throws SourceError where it does not end
 */
export async function everySourcePage<Item>(
  call: AwsCall,
  ask: (token: string | undefined) => Promise<Page<Item, string>>,
): Promise<readonly Item[]> {
  try {
    return await everyPage(call, ask);
  } catch (error) {
    throw error instanceof AwsError ? new SourceError(error.message, { cause: error }) : error;
  }
}
