import { dirname, join, resolve } from 'node:path';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { CheckedSwapFile, ProgramSettings, SwapSettings } from '../file';
import type { FleetProgram } from '../program';
import type { RunPhase } from '../swap-run';

/**
 * What a fleet is to be, and how it gets there: the keys of a swap file, in TypeScript.
 *
 * @example
 * const settings: SwapFleetSettings = {
 *   fleet: 'apps',
 *   region: 'eu-west-1',
 *   to: '1.36',
 *   program: pulumiProgram({ stack: 'production', slots: 'talk:apps', weights: 'talk:weights' }),
 *   phases: { deliver: { checks: [{ argoApplications: { context: 'hub' } }] }, delete: { approve: true } },
 * };
 */
export interface SwapFleetSettings extends Omit<SwapSettings, 'program'> {
  /**
   * The program that makes the fleet: `pulumiProgram` of `cluster-canary/pulumi-swap`, one of your own, or the settings of one as a
   * swap file has them.
   */
  readonly program: FleetProgram | ProgramSettings;
}

/** A swap file that was read. */
export interface ReadSwap {
  /** What it says. */
  readonly settings: SwapSettings;
  /** Its folder, which paths in it start from. */
  readonly base: string;
}

/**
 * Reads a swap file for {@link swapFleet}.
 *
 * @example
 * const { settings, base } = await readSwapFile('swap.yaml');
 * await swapFleet(settings, { base, pulumi: pulumiProgram });
 *
 * @throws InvalidInput with every problem of the file, each with its line and column; where it can't be read
 */
export async function readSwapFile(file: string): Promise<ReadSwap> {
  // It loads every kind of check, for what a file says of them.
  const { readSwapSettings } = await import('../file');
  return { settings: readSwapSettings(file), base: dirname(resolve(file)) };
}

/** Settings that have no problem. */
export interface CheckedSettings {
  /** With their defaults. Its program is not looked at where there is one below. */
  readonly checked: CheckedSwapFile;
  /** The program that was given. @default - its settings were */
  readonly program?: FleetProgram;
}

/** What a program of one's own has to have. */
const methods = ['read', 'preview', 'deploy'] as const;

/** Stands in the place of settings of a program, which a program that was given has none of. */
const noSettings: ProgramSettings = { commands: { read: ['-'], deploy: ['-'] } };

/**
 * Settings of a TypeScript program, with their defaults.
 *
 * @param own phases that a runner of the user's own runs
 * @throws InvalidInput with every problem
 */
export async function checkedSettings(
  settings: SwapFleetSettings,
  base: string,
  own: readonly RunPhase[],
): Promise<CheckedSettings> {
  const { swapProblems, withDefaults } = await import('../file');
  const program = programIn(settings);
  const written = program ? { ...settings, program: noSettings } : (settings as SwapSettings);
  const problems: readonly Problem[] = [
    ...swapProblems(written)
      // Who asks oneself needs no checks.
      .filter(({ path }) => !(path === 'phases.deliver.checks' && own.includes('deliver')))
      .map(({ steps: _, ...problem }) => ({ ...problem, path: problem.path || 'settings' })),
    ...(program ? programProblems(program) : []),
  ];
  if (problems.length > 0) {
    throw new InvalidInput('swapFleet', problems);
  }
  const checked = withDefaults(written, join(base, 'swapFleet'));
  // It is left out where there are no checks.
  const skip = settings.phases?.try?.skip ?? false;
  const phases = own.includes('try') ? { try: { ...checked.phases.try, skip } } : {};
  return {
    checked: { ...checked, phases: { ...checked.phases, ...phases } },
    ...(program && { program }),
  };
}

/** The program, where it is one that can be called, if maybe not a whole one. */
function programIn(settings: unknown): FleetProgram | undefined {
  const program = (settings as { readonly program?: unknown } | undefined)?.program;
  return typeof program === 'object' && program !== null && methods.some((name) => isMethod(program, name))
    ? (program as FleetProgram)
    : undefined;
}

function programProblems(program: FleetProgram): readonly Problem[] {
  return [
    ...(typeof program.name === 'string' && program.name !== ''
      ? []
      : [{ path: 'program.name', allowed: 'a text that names it in messages' }]),
    ...methods
      .filter((name) => !isMethod(program, name))
      .map((name) => ({ path: `program.${name}`, allowed: 'a function, as FleetProgram has it' })),
  ];
}

function isMethod(program: object, name: string): boolean {
  return typeof (program as Readonly<Record<string, unknown>>)[name] === 'function';
}
