import { inTurn } from '../../core/async';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { errorLine } from '../../core/validation/problems';
import type { CapacityLeft, CapacityRecord, RaisedSlot, Weights } from '../engine';
import { writeMinimum } from './cluster';
import type { OpenCluster } from './cluster';
import { readRecordKey, restoredMinimum } from './minimums';
import type { MinimumChange, MinimumState } from './minimums';

/** The minimum belongs to this manager from then on, which no `ignoreDifferences` names: Git decides again. */
const restoringManager = 'cluster-canary';

/** So many minimums of a cluster are given back at once. */
const atOnce = 8;

/**
 * Gives back what a record of raised capacity names: all that it takes is in the record. Can be called again, also where an
 * earlier call was cut short.
 *
 * An autoscaler has as many pods as the load takes, whatever its minimum. A workload that nothing scales would lose its pods at
 * once: it keeps them where it may have traffic, and has to get its number from its owner.
 *
 * A minimum that has been changed since stays, and so does one that another shift still needs. Objects that are gone have
 * nothing to give back.
 *
 * @param live weights that are live now; @default - any slot may have traffic
 * @returns what is left, where a cluster does not answer or refuses
 */
export async function giveBackCapacity(
  raised: CapacityRecord,
  open: OpenCluster,
  signal?: AbortSignal,
  live?: Weights,
): Promise<CapacityLeft | undefined> {
  const slots = await Promise.all(
    Object.entries(raised).map(async ([slot, place]) => ({
      slot,
      place,
      left: await giveBackSlot(place, open, live === undefined || (live[slot] ?? 0) > 0, signal),
    })),
  );
  const failed = slots.filter(({ left }) => left.keys.length > 0);
  return failed.length === 0
    ? undefined
    : {
        problem: failed
          .map(
            ({ slot, left }) =>
              `${slot}: ${left.keys.length === 1 ? 'a minimum is' : `${left.keys.length} minimums are`} not given back: ${left.why}`,
          )
          .join('; '),
        raised: Object.fromEntries(
          failed.map(({ slot, place, left }) => [
            slot,
            {
              ...place,
              minimums: Object.fromEntries(left.keys.map((key) => [key, place.minimums[key]!])),
            },
          ]),
        ),
      };
}

interface SlotLeft {
  readonly keys: readonly string[];
  readonly why: string;
}

async function giveBackSlot(
  { kubeconfig, context, by = '', minimums }: RaisedSlot,
  open: OpenCluster,
  mayServe: boolean,
  signal?: AbortSignal,
): Promise<SlotLeft> {
  // A workload that was only counted has the same minimum as before.
  const entries = Object.entries(minimums).filter(([, [before, , written]]) => before !== written);
  if (entries.length === 0) {
    return { keys: [], why: '' };
  }
  let api: KubernetesApi;
  try {
    api = await open({ kubeconfig, context });
  } catch (error) {
    return { keys: entries.map(([key]) => key), why: errorLine(error) };
  }
  let dead: string | undefined;
  const problems = await inTurn(entries, atOnce, async ([key, recorded]) => {
    const place = readRecordKey(key)?.place;
    if (dead !== undefined || signal?.aborted || !place) {
      return dead ?? (place ? 'it was interrupted' : `"${key}" names no workload`);
    }
    try {
      const isWorkload = place.kind !== 'hpa' && place.kind !== 'scaledobject';
      const decide = (state: MinimumState): MinimumChange | undefined => {
        const change = restoredMinimum(state, by, recorded);
        // A record is anybody's who may write the lease: alone it takes no pods from any workload of the cluster.
        return !isWorkload
          ? change
          : mayServe
            ? change && state.mark && { mark: change.mark }
            : state.mark && change;
      };
      await writeMinimum(api, place, decide, { manager: restoringManager, ...(signal && { signal }) });
      return undefined;
    } catch (error) {
      if (isKubernetesError(error, 'notFound', 'unsupported')) {
        return undefined;
      }
      if (isKubernetesError(error, 'unreachable', 'unauthenticated')) {
        // The others would wait as long, for nothing.
        dead = errorLine(error);
      }
      return errorLine(error);
    }
  });
  return {
    keys: entries.flatMap(([key], index) => (problems[index] === undefined ? [] : [key])),
    why: problems.find((problem) => problem !== undefined) ?? '',
  };
}
