import type { FleetConfiguration } from '../configuration';
import type { ForeseenDeployment } from '../foresee';
import type { SwapEnd } from '../machine/states';
import type { OutlookSwap } from '../outlook';
import type { ProgramChange } from '../program';
import type { SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import { checkFleetOptions } from './options';
import type { SwapFleetOptions } from './options';
import type { SwapFleetSettings } from './settings';

/** What a swap would do. */
export interface FleetOutlook {
  /** Name of the fleet. */
  readonly fleet: string;
  /** What there is now: configuration, clusters, live traffic. */
  readonly seen: SwapSeen;
  /** The newest swap of the fleet, whether it has ended or not. @default - there was none */
  readonly record?: SwapRecord;
  /** Who runs a swap of the fleet now. @default - no one does */
  readonly heldBy?: string;
  /** How it would end: at once, or if every phase passes. */
  readonly end: SwapEnd;
  /** Each swap that it goes through: one for each version on the way. */
  readonly swaps: readonly OutlookSwap[];
  /** The configuration that is deployed first. @default - none is */
  readonly next?: FleetConfiguration;
  /** How it is deployed. @default - none is */
  readonly deployment?: ForeseenDeployment;
  /** What that deployment would change. @default - none is made, or it could not be previewed */
  readonly changes?: readonly ProgramChange[];
  /** What keeps it from running, or from being known, a line each. */
  readonly problems: readonly string[];
}

/**
 * What {@link swapFleet} would do from here on. The first deployment is previewed, and nothing is written: a dry run.
 *
 * @example
 * const { end, swaps, changes, problems } = await swapOutlook(settings);
 *
 * @param options those of {@link swapFleet}. The way back is not looked ahead
 * @throws InvalidInput with every problem of settings and options
 * @throws AwsError, RouterError and what the program throws where what there is can't be read
 */
export async function swapOutlook(
  settings: SwapFleetSettings,
  options: SwapFleetOptions = {},
): Promise<FleetOutlook> {
  checkFleetOptions('swapOutlook', options, ({ ask = 'forward' }) =>
    ask === 'forward'
      ? []
      : [{ path: 'ask', value: ask, allowed: '"forward": the way back is not looked ahead' }],
  );
  const { adopt, retry, observer, clock = Date, signal = new AbortController().signal } = options;
  // Nobody is asked.
  const approve = (): Promise<undefined> => Promise.resolve(undefined);
  const [{ openFleet }, { foreseeSwap }] = await Promise.all([import('./open-fleet'), import('../foresee')]);
  const open = await openFleet(settings, { ...options, approve });
  try {
    const look = await open.store.look(signal);
    const { seen, outlook, deployment, changes, problems } = await foreseeSwap(open, {
      ...{
        look,
        signal,
        now: clock.now(),
        ...(adopt !== undefined && { adopt }),
        ...(retry !== undefined && { retry }),
      },
      say: (line) => observer?.log?.({ at: clock.now(), text: line }),
    });
    const { first, end, swaps } = outlook;
    return {
      ...{ fleet: open.plan.fleet, seen, end, swaps, problems },
      ...(look.record && { record: look.record }),
      ...(look.holder !== undefined && { heldBy: look.holder }),
      ...(first && { next: first.configuration }),
      ...(deployment && { deployment }),
      ...(changes && { changes }),
    };
  } finally {
    open.close();
  }
}
