import { isKubernetesError } from '../kubernetes';

/** Whether a later look at an API server may go better than one that ended with this error. */
export function mayPass(error: unknown): boolean {
  return isKubernetesError(error, 'unreachable', 'throttled', 'faulty', 'conflict', 'expired');
}
