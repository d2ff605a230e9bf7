import type { Router, Weights } from '../engine';
import type { OpenRouter } from './router-kind';

/**
 * A router whose first look puts slots that are to get traffic, and are not on the rule yet, there with weight 0. It comes
 * when the shift has its lease. Where all are there, that look is the only one.
 *
 * @param wanted weights that the shift ends at
 */
export function attachingRouter(
  router: Pick<OpenRouter, 'name' | 'describe' | 'read' | 'write'>,
  wanted: Weights,
): Router {
  let isAttached = false;
  return {
    name: router.name,
    read: async (signal) => {
      if (isAttached) {
        return router.read(signal);
      }
      const { weights, missing } = await router.describe(signal);
      const isMissing = missing.some((slot) => (wanted[slot] ?? 0) > 0);
      if (weights && isMissing) {
        await router.write(weights, signal, [weights]);
      }
      isAttached = true;
      return weights && !isMissing ? weights : router.read(signal);
    },
    write: (weights, signal, expected) => router.write(weights, signal, expected),
  };
}
