import type { CheckedSwapWaves } from './file/swap-waves-file';
import type { OpenSwap } from './open-swap';
import { runOpenSwap } from './run-open-swap';
import type { OpenSwapRun } from './run-open-swap';
import type { SwapLine } from './swap-run';
import { runSwapWaves } from './waves/run';
import type { SwapWavesOutcome, WaveSwap } from './waves/run';

/** How opened swaps are run. */
export interface OpenSwapsRun extends Pick<OpenSwapRun, 'ask' | 'retry' | 'waits' | 'signal'> {
  /** Who agrees to the phases of a fleet. */
  readonly approvals: (name: string) => OpenSwapRun['approvals'];
  /** Hears of each line of a fleet's log as it comes; of what is done between the swaps, without a name. */
  readonly say: (line: SwapLine, name?: string) => void;
}

/**
 * Runs the opened swaps of a file in its waves, and adds every swap that has ended to the history.
 *
 * @param opened every fleet of the file, by its name
 */
export function runOpenSwaps(
  { fleets, waves, waitMs }: CheckedSwapWaves,
  opened: Readonly<Record<string, OpenSwap>>,
  { approvals, retry = false, say, ...run }: OpenSwapsRun,
): Promise<SwapWavesOutcome> {
  const swaps = Object.entries(fleets).map(([name, checked]): [string, WaveSwap] => {
    const open = opened[name]!;
    return [
      name,
      {
        ...{ plan: open.plan, store: open.store },
        run: ({ plan, ...how }) =>
          runOpenSwap(
            checked,
            { ...open, plan },
            { ...how, retry, approvals: approvals(name), say: (line) => say(line, name) },
          ),
      },
    ];
  });
  return runSwapWaves({ ...{ waves, waitMs }, swaps: Object.fromEntries(swaps), log: say, ...run });
}
