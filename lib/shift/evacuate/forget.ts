import { inTurn } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { forgetEvacuation } from '../engine';
import type { Lease } from '../engine';
import { LeaseCalls } from './patience';
import type { EvacuationControl } from './patience';
import type { EvacuationRoute } from './plan';

/** Parameter Store throttles sooner than load balancers. */
const leasesAtOnce = 8;

/** How long leases are waited for that do not answer, in milliseconds: all of them together. */
const longestSilence = 15_000;

/** What became of the evacuation of one route. */
export type Forgotten =
  /** `false`: there was none. */
  { readonly was: boolean } | { readonly problem: string };

/**
 * Lets shifts give a slot traffic again, on every route whose lease can be written. Throttled calls are made again;
 * leases that do not answer are waited for once.
 *
 * @param tell is called for each route as soon as it is done
 * @throws whatever the signal is aborted with, after what was begun; the other routes stay as they are
 */
export async function forgetOnRoutes(
  routes: readonly Pick<EvacuationRoute, 'name' | 'lease'>[],
  slot: string,
  control: EvacuationControl,
  tell: (name: string, outcome: Forgotten) => Promise<void>,
): Promise<void> {
  // What is begun comes to its end at an interrupt: a lease that was taken and not given back would keep the next run out.
  const { signal, ...uninterrupted } = control;
  const leases = new LeaseCalls(uninterrupted, control.leaseSilence ?? longestSilence);
  const work = async ({ name, lease }: (typeof routes)[number]): Promise<void> => {
    await tell(name, await forgotten(lease, slot, leases));
  };
  await inTurn(routes, leasesAtOnce, work, signal);
}

async function forgotten(lease: Lease, slot: string, leases: LeaseCalls): Promise<Forgotten> {
  try {
    const { record } = await leases.ask((signal) => lease.look(signal));
    const was = record?.evacuated?.slots.includes(slot) === true;
    if (was) {
      // A try whose answer was lost has forgotten it already.
      await leases.ask((signal) => forgetEvacuation(lease, slot, signal));
    }
    return { was };
  } catch (error) {
    return { problem: errorLine(error) };
  }
}
