import { resolve } from 'node:path';
import { InvalidInput } from '../../../core/validation/problems';
import type { CheckedSwapFile } from '../file';
import { openSwap } from '../open-swap';
import type { OpenSwap } from '../open-swap';
import { swapPhases } from '../phases';
import type { PhaseRunner } from '../runner';
import type { RunPhase } from '../swap-run';
import type { RunsPhase, SwapFleetOptions } from './options';
import { checkedSettings } from './settings';
import type { SwapFleetSettings } from './settings';

/** A swap of a program, opened. */
export interface OpenFleet extends OpenSwap {
  readonly checked: CheckedSwapFile;
}

/**
 * Opens what settings and options name. Nothing is asked yet.
 *
 * @throws InvalidInput with every problem of the settings; where no region is known, or no kubeconfig can be used
 */
export async function openFleet(
  settings: SwapFleetSettings,
  { base = '.', pulumi, runners = {}, store, observe, observer, clock, approve }: SwapFleetOptions,
): Promise<OpenFleet> {
  const folder = resolve(base);
  const ownPhases = Object.keys(runners) as RunPhase[];
  const { checked, program } = await checkedSettings(settings, folder, ownPhases);
  const say = (line: string): void => observer?.log?.({ at: (clock ?? Date).now(), text: line });
  const open = await openSwap(checked, {
    ...(program && { program }),
    ...(pulumi && { pulumi: (given, from) => pulumi(given, { base: from }) }),
    manifests: async (paths, from) => (await import('./manifests')).manifestsBelow(paths, from),
    ownPhases,
    say,
  });
  const asking = swapPhases.filter((phase) => open.plan.phases[phase].approval !== undefined);
  if (store && !approve && asking.length > 0) {
    open.close();
    throw new InvalidInput('swapFleet', [
      {
        path: 'approve',
        kind: 'required',
        allowed: `a function: ${asking.join(', ')} ask a person, and the command leaves no answers in a store of your own`,
      },
    ]);
  }
  return {
    ...open,
    checked,
    runners: { ...open.runners, ...ownRunners(runners) },
    ...(store && { store }),
    ...(observe && { observe }),
  };
}

function ownRunners(runners: NonNullable<SwapFleetOptions['runners']>): Partial<OpenSwap['runners']> {
  const entries = Object.entries(runners).map(([phase, run]: [string, RunsPhase]) => {
    const runner: PhaseRunner = { phase: phase as RunPhase, run };
    return [phase, runner];
  });
  return Object.fromEntries(entries) as Partial<OpenSwap['runners']>;
}
