import { AwsError } from '../aws';
import type { Weights } from '../shift';
import { equalWeights } from '../shift';
import { routerError } from './router-failure';

/** How long a look at the weights may take after a write that failed, in milliseconds: an interrupted run has little time. */
const lookTime = 2_000;

/**
 * Writes; after a failure looks at the live weights, to tell them in the error. A write whose answer was lost, or that
 * was cancelled, is good if the weights are the wanted ones.
 *
 * @param look reads the live weights
 * @throws RouterError
 */
export async function writeAndLook(
  wanted: Weights,
  write: () => Promise<void>,
  look: (signal: AbortSignal) => Promise<Weights>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const live = await look(AbortSignal.timeout(lookTime)).catch(() => undefined);
    const kind = error instanceof AwsError ? error.failure.kind : undefined;
    const lost = kind === 'unreachable' || kind === 'cancelled';
    if (lost && live && equalWeights(live, wanted)) {
      return;
    }
    throw routerError(error, live);
  }
}
