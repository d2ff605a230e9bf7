import type { CheckedSwapFile, SwapSettings } from './swap-file';

/** Settings that the fleets of one file may have in common; the others belong to one fleet. */
type CommonSwapSettings = Partial<
  Pick<SwapSettings, 'fleet' | 'region' | 'to' | 'via' | 'slots' | 'moves' | 'lease' | 'windows' | 'phases'>
>;

/** One of several fleets: its program, and what differs from the common settings. */
export interface WaveFleetSettings
  extends Omit<SwapSettings, 'fleet' | 'to'>, Partial<Pick<SwapSettings, 'fleet' | 'to'>> {}

/**
 * A swap file for several fleets, which are swapped in waves: regions, or a first fleet before the others.
 *
 * @example
 * to: "1.36"
 * fleets:
 *   eu: { fleet: apps, region: eu-west-1, program: { pulumi: { … } } }
 *   us: { fleet: apps, region: us-east-1, program: { pulumi: { … } } }
 */
export interface SwapWavesSettings extends CommonSwapSettings {
  /**
   * By name. A setting of a fleet replaces the common setting of the same name as a whole; in `phases`, each phase replaces the
   * common phase of the same name.
   */
  readonly fleets: Readonly<Record<string, WaveFleetSettings>>;
  /**
   * Names of the fleets that are swapped side by side, wave by wave: a wave begins when every swap of the wave before has
   * completed.
   *
   * @default - each fleet is a wave of its own, in their order
   */
  readonly waves?: readonly (readonly string[])[];
  /** The least time between the end of one wave and the begin of the next. @default '0s' */
  readonly waitBetweenWaves?: string;
}

/** A swap file that has no problem, in one form whether it is for one fleet or several. */
export interface CheckedSwapWaves {
  /** File that it was read from, as it was given. */
  readonly file: string;
  /** Whether the file has `fleets`. */
  readonly isSeveral: boolean;
  /** Swaps by name; that of a file for one fleet has the name of its fleet. */
  readonly fleets: Readonly<Record<string, CheckedSwapFile>>;
  /** Names of fleets, wave by wave. */
  readonly waves: readonly (readonly string[])[];
  /** The least time between two waves, in milliseconds. */
  readonly waitMs: number;
}
