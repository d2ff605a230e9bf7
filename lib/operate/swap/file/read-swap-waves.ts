import { dirname } from 'node:path';
import { parseDuration } from '../../../core/durations';
import { InvalidInput, readText } from '../../../core/validation/problems';
import type { PlainObject } from '../../../core/validation/problems';
import { readSettings } from '../../../core/validation/read-settings';
import type { PlacedProblem } from '../../../core/validation/schema';
import { swapProblems } from './problems';
import { withDefaults } from './read-swap';
import type { SwapSettings } from './swap-file';
import type { CheckedSwapWaves, SwapWavesSettings } from './swap-waves-file';
import { fleetSettings, isForSeveral, swapWavesProblems } from './waves-problems';

/**
 * Reads a swap file for one fleet or several.
 *
 * @throws InvalidInput with every problem of the file, each with its line and column; where it can't be read
 */
export function readSwapWavesFile(file: string): CheckedSwapWaves {
  return readSwapWaves(readText(file, 'a swap file, in YAML or JSON'), file);
}

/**
 * Reads a swap of one fleet or several from YAML or JSON.
 *
 * @param file name of the file, for messages; paths in it start from its folder
 * @throws InvalidInput with every problem: `swap.yaml:7:5 fleets.us.region: is required: an AWS region`
 */
export function readSwapWaves(text: string, file: string): CheckedSwapWaves {
  const settings = readSettings<SwapSettings | SwapWavesSettings>(text, file, (content) =>
    allProblems(content, file),
  );
  return inOneForm(settings, file);
}

/**
 * The same of settings of a TypeScript program.
 *
 * @param file names a file in the folder that paths start from. @default - the current folder
 * @throws InvalidInput with every problem
 */
export function checkedSwapWaves(
  settings: SwapSettings | SwapWavesSettings,
  file = 'swap.yaml',
): CheckedSwapWaves {
  const problems = allProblems(settings, file);
  if (problems.length > 0) {
    throw new InvalidInput(
      'swap',
      problems.map(({ steps: _, ...problem }) => ({ ...problem, path: problem.path || 'swap' })),
    );
  }
  return inOneForm(settings, file);
}

function allProblems(content: unknown, file: string): readonly PlacedProblem[] {
  return isForSeveral(content)
    ? swapWavesProblems(content, dirname(file))
    : swapProblems(content).map((problem) =>
        // Of a file that is no object, and of a key of it.
        problem.steps.length === 0 || (problem.kind === 'unknown' && problem.steps.length === 1)
          ? {
              ...problem,
              allowed: `${problem.allowed}; for several fleets also fleets, waves, waitBetweenWaves`,
            }
          : problem,
      );
}

function inOneForm(settings: SwapSettings | SwapWavesSettings, file: string): CheckedSwapWaves {
  if (!('fleets' in settings)) {
    const swap = withDefaults(settings, file);
    return { file, isSeveral: false, fleets: { [swap.fleet]: swap }, waves: [[swap.fleet]], waitMs: 0 };
  }
  const { fleets, waitBetweenWaves = '0s' } = settings;
  const names = Object.keys(fleets);
  const swaps = Object.entries(fleets).map(([name, own]) => {
    const merged = fleetSettings(settings as unknown as PlainObject, own as unknown as PlainObject);
    return [name, withDefaults(merged as unknown as SwapSettings, file)] as const;
  });
  return {
    ...{ file, isSeveral: true },
    fleets: Object.fromEntries(swaps),
    waves: settings.waves ?? names.map((name) => [name]),
    waitMs: parseDuration(waitBetweenWaves)!,
  };
}
