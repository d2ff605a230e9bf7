import { callAws } from '../../core/aws/errors';
import type { AwsCall, AwsError } from '../../core/aws/errors';
import { DeliveryFailed } from './sink';

/** Another try may help: the others say what is missing, and a person has to give it. */
const passing = ['throttled', 'unreachable', 'cancelled'];

/**
 * Delivers by a call to AWS.
 *
 * @throws DeliveryFailed which says whether another try may help
 */
export async function deliverToAws<Answer>(
  call: AwsCall,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await callAws(call, ask);
  } catch (error) {
    signal.throwIfAborted();
    const { message, failure } = error as AwsError;
    throw new DeliveryFailed(message, { final: !passing.includes(failure.kind) }, { cause: error });
  }
}
