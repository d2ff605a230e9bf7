import type { Router, Weights } from '../engine';
import { LookAge, machineClocks } from './look-and-write';
import type { LookClocks, OpenRouter } from './router-kind';

/**
 * A router whose first look puts slots that are to get traffic, and are not on the rule yet, there with weight 0. It comes
 * when the shift has its lease.
 *
 * A shift reads where it begins, and reads again before its first write. Where that follows at once, the first look does for
 * both: the write itself looks once more.
 *
 * @param wanted weights that the shift ends at
 * @param clocks how old the first look is @default - those of this machine
 */
export function withMissingTargets(
  router: Pick<OpenRouter, 'name' | 'describe' | 'read' | 'write'>,
  wanted: Weights,
  clocks: LookClocks = machineClocks,
): Router {
  let isAttached = false;
  let first: { readonly weights: Weights; readonly age: LookAge } | undefined;

  async function begin(signal: AbortSignal | undefined): Promise<Weights> {
    const age = new LookAge(clocks);
    const { weights, missing } = await router.describe(signal);
    age.answered();
    const isMissing = missing.some((slot) => (wanted[slot] ?? 0) > 0);
    if (weights && !isMissing) {
      first = { weights, age };
      return weights;
    }
    if (weights) {
      await router.write(weights, signal, [weights]);
    }
    return router.read(signal);
  }

  return {
    name: router.name,
    read: async (signal) => {
      const known = first;
      first = undefined;
      if (isAttached) {
        return known?.age.isYoung ? known.weights : router.read(signal);
      }
      const weights = await begin(signal);
      isAttached = true;
      return weights;
    },
    write: (weights, signal, expected) => {
      first = undefined;
      return router.write(weights, signal, expected);
    },
  };
}
