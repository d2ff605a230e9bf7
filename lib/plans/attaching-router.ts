import type { AwsRouter } from '../routers';
import type { Router, Weights } from '../shift';

/**
 * A router whose first look puts slots that are to get traffic, and are not on the rule yet, there with weight 0. A target
 * group that is on no rule has no health, so that no check could ever let it have its first percent. It changes no weights,
 * and comes when the shift has its lease.
 *
 * @param wanted weights that the shift ends at
 */
export function attachingRouter(router: AwsRouter, wanted: Weights): Router {
  let isAttached = false;
  return {
    name: router.name,
    read: async (signal) => {
      if (!isAttached) {
        const { weights, missing } = await router.describe(signal);
        if (weights && missing.some((slot) => (wanted[slot] ?? 0) > 0)) {
          await router.write(weights, signal, [weights]);
        }
        isAttached = true;
      }
      return router.read(signal);
    },
    write: (weights, signal, expected) => router.write(weights, signal, expected),
  };
}
