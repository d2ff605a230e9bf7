import type { SwapOutcome } from '../swap-run';
import { checkFleetOptions } from './options';
import type { SwapFleetOptions } from './options';
import type { SwapFleetSettings } from './settings';

/**
 * Swaps the cluster of a fleet: from a new version of Kubernetes to the end of the old cluster, or back. What
 * `cluster-canary swap` does, from a program of your own.
 *
 * A call that was killed or interrupted, and one that ended `held`, is made again: it goes on where it stopped. Where nothing is to
 * be done, the outcome says `unchanged`. A phase that fails is no error: the outcome says how the swap ended.
 *
 * @example
 * import { swapFleet } from 'cluster-canary/swap';
 * import { pulumiProgram } from 'cluster-canary/pulumi-swap';
 *
 * const { verdict, reason } = await swapFleet(
 *   {
 *     fleet: 'apps',
 *     region: 'eu-west-1',
 *     to: '1.36',
 *     program: pulumiProgram({ stack: 'production', slots: 'talk:apps', weights: 'talk:weights' }),
 *     phases: { drain: { hubs: [{ context: 'hub' }] }, delete: { approve: true } },
 *   },
 *   { observer: { log: ({ text }) => console.log(text) } },
 * );
 *
 * @throws InvalidInput with every problem of settings and options, before anything is asked
 * @throws what the observer throws
 */
export async function swapFleet(
  settings: SwapFleetSettings,
  options: SwapFleetOptions = {},
): Promise<SwapOutcome> {
  checkFleetOptions('swapFleet', options);
  const { ask, adopt, retry, waits, approve, observer, signal, by, store, clock } = options;
  // What a swap asks takes longer to load than a program that only names it.
  const [{ approvalsOf }, { openFleet }, { runOpenSwap }] = await Promise.all([
    import('./approvals'),
    import('./open-fleet'),
    import('../run-open-swap'),
  ]);
  const open = await openFleet(settings, options);
  try {
    return await runOpenSwap(open.checked, open, {
      approvals: approvalsOf(approve, store ? undefined : open.answers),
      say: (line) => observer?.log?.(line),
      onRecord: (record) => observer?.record?.(record),
      hasOwnStore: store !== undefined,
      ...(ask !== undefined && { ask }),
      ...(adopt !== undefined && { adopt }),
      ...(retry !== undefined && { retry }),
      ...(waits !== undefined && { waits }),
      ...(signal && { signal }),
      ...(by !== undefined && { by }),
      ...(clock && { clock }),
    });
  } finally {
    open.close();
  }
}
