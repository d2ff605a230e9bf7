import { InvalidInput, readText } from '../../../core/validation/problems';
import { readSettings } from '../../../core/validation/read-settings';
import type { CheckSettings } from '../../../shift/checks';
import type { SlotSetting } from '../configuration';
import { swapPhases } from '../phases';
import type { SwapPhase } from '../phases';
import type { PhasePlan, SwapPlan } from '../plan';
import { phasePlan } from './phase-settings';
import type { PhasesSettings } from './phase-settings';
import { defaultSlots, swapProblems } from './problems';
import type { CheckedSwapFile, SwapSettings } from './swap-file';
import { timeWindow } from './windows';

/**
 * Reads a swap file.
 *
 * @throws InvalidInput with every problem of the file, each with its line and column; where it can't be read
 */
export function readSwapFile(file: string): CheckedSwapFile {
  return withDefaults(readSwapSettings(file), file);
}

/** The same as it is written, without defaults. */
export function readSwapSettings(file: string): SwapSettings {
  return readSettings<SwapSettings>(readText(file, 'a swap file, in YAML or JSON'), file, swapProblems);
}

/**
 * Reads a swap from YAML or JSON.
 *
 * @param file name of the file, for messages; paths in it start from its folder
 * @throws InvalidInput with every problem: `swap.yaml:3:5 to: 1.36: must be a minor version of Kubernetes as a text`
 * @example
 * const { fleet, versions } = readSwap('{ fleet: apps, to: "1.36", program: { … } }', 'swap.yaml');
 */
export function readSwap(text: string, file: string): CheckedSwapFile {
  return withDefaults(readSettings<SwapSettings>(text, file, swapProblems), file);
}

/**
 * The same of settings of a TypeScript program.
 *
 * @param file names a file in the folder that paths start from. @default - the current folder
 * @throws InvalidInput with every problem
 */
export function checkedSwap(settings: SwapSettings, file = 'swap.yaml'): CheckedSwapFile {
  const problems = swapProblems(settings);
  if (problems.length > 0) {
    throw new InvalidInput(
      'swap',
      problems.map(({ steps: _, ...problem }) => ({ ...problem, path: problem.path || 'swap' })),
    );
  }
  return withDefaults(settings, file);
}

/** Settings that have no problem, with their defaults. */
export function withDefaults(settings: SwapSettings, file: string): CheckedSwapFile {
  const { fleet, region, to, via = [], program, route, windows } = settings;
  const { slots = defaultSlots, moves = 'traffic', lease = { ssm: {} }, previews = {} } = settings;
  return {
    ...{ file, fleet, program, slots, moves, lease, previews },
    versions: [...via.map((each) => filled(each, to)), to],
    phases: filledPhases(settings.phases ?? {}, moves),
    ...(region !== undefined && { region }),
    ...(route !== undefined && { route }),
    ...(windows !== undefined && { windows }),
  };
}

/** A version on the way has the node settings, say, of the wanted one. */
function filled(setting: SlotSetting, to: SlotSetting): SlotSetting {
  return typeof setting === 'string' && typeof to !== 'string' ? { ...to, version: setting } : setting;
}

function filledPhases(phases: PhasesSettings, moves: CheckedSwapFile['moves']): PhasesSettings {
  const { deliver, drain, prescale, try: tried } = phases;
  const checks =
    deliver?.checks ?? (drain?.hubs ?? []).map((hub): CheckSettings => ({ argoApplications: hub }));
  return {
    ...phases,
    deliver: { ...deliver, checks },
    // Without checks there is nothing to be tried.
    ...((tried?.checks ?? []).length === 0 && { try: { ...tried, skip: true } }),
    // A handover itself waits until the new hub has the Applications of the old one, and hubs have no targets to be scaled.
    ...(moves === 'hub' && {
      prescale: { ...prescale, skip: true },
      ...(checks.length === 0 && { deliver: { ...deliver, checks, skip: true } }),
    }),
  };
}

/** What the machine has to know of a swap file. */
export function swapPlan(swap: CheckedSwapFile): SwapPlan {
  const { fleet, versions, slots, moves, phases, windows, program } = swap;
  const isMerged = 'git' in program && program.git.github !== undefined;
  const plans = swapPhases.map((name): [SwapPhase, PhasePlan] => [name, phasePlan(name, phases, isMerged)]);
  return {
    ...{ fleet, versions, names: slots, moves },
    phases: Object.fromEntries(plans) as Record<SwapPhase, PhasePlan>,
    ...(windows && { windows: windows.map(timeWindow) }),
  };
}
