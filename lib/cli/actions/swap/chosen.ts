import { InvalidInput, Problems } from '../../../core/validation/problems';
import { oneOfWords } from '../../../core/validation/formats';
import { openRecords } from '../../../operate/swap';
import type { CheckedSwapFile, CheckedSwapWaves, SwapPhase } from '../../../operate/swap';
import type { SwapFlags } from './flags';

/** What a command is about. */
export interface Chosen {
  /** The file, with the fleets that were chosen. */
  readonly all: CheckedSwapWaves;
  /** The one fleet, by its name in the file. @default - several are meant */
  readonly alone?: string;
}

/** Flags that need one fleet: what they do can't be undone, or has to be looked at first. */
const ofOneFleet = { forget: '--forget', adopt: '--adopt' } as const;

/**
 * All fleets of the file, or the one that was asked for.
 *
 * @throws InvalidInput for a fleet that is not in the file, and for flags that need one
 */
export function chosenFleets(
  file: CheckedSwapWaves,
  { fleet, ...flags }: Pick<SwapFlags, 'fleet' | 'forget' | 'adopt'>,
): Chosen {
  const names = Object.keys(file.fleets);
  const problems = new Problems(file.file);
  const rule = oneOfWords(...names);
  if (fleet !== undefined) {
    problems.check('--fleet', fleet, rule);
  }
  for (const key of Object.keys(ofOneFleet) as (keyof typeof ofOneFleet)[]) {
    if (flags[key] === true && fleet === undefined && names.length > 1) {
      problems.require('--fleet', `the fleet of ${ofOneFleet[key]}, ${rule.allowed}`);
    }
  }
  problems.throwIfAny();
  const alone = fleet ?? (file.isSeveral ? undefined : names[0]);
  return alone === undefined
    ? { all: file }
    : { all: { ...file, fleets: { [alone]: file.fleets[alone]! }, waves: [[alone]] }, alone };
}

/** The file of a command, with the fleet where the file has several: `swap.yaml --fleet eu`. */
export function fileOf({ file, isSeveral }: CheckedSwapWaves, name: string): string {
  return isSeveral ? `${file} --fleet ${name}` : file;
}

/**
 * The fleet whose swap waits for a person before a phase.
 *
 * @throws InvalidInput where several do, or none: then it has to be named
 */
export async function waitingFleet(
  { file, fleets }: CheckedSwapWaves,
  phase: SwapPhase,
  signal: AbortSignal,
): Promise<CheckedSwapFile> {
  const names = Object.keys(fleets);
  if (names.length === 1) {
    return fleets[names[0]!]!;
  }
  const waiting: string[] = [];
  for (const [name, swap] of Object.entries(fleets)) {
    const { store, close } = await openRecords(swap);
    try {
      const { record } = await store.look(signal);
      if (record && !record.ended && record.phase === phase && record.askedAt !== undefined) {
        waiting.push(name);
      }
    } finally {
      close();
    }
  }
  const [only, ...others] = waiting;
  if (only !== undefined && others.length === 0) {
    return fleets[only]!;
  }
  const which = waiting.length === 0 ? 'no fleet waits' : `${waiting.join(', ')} wait`;
  const allowed = `${oneOfWords(...names).allowed}: ${which} for an answer before ${phase}`;
  throw new InvalidInput(file, [{ path: '--fleet', kind: 'required', allowed }]);
}
