import type { SlotPreview } from '../../../shift/engine';
import type { LeaseSettings } from '../../../shift/leases';
import type { RouteSettings } from '../../../shift/routers';
import type { SlotSetting } from '../configuration';
import type { CommandsProgramSettings } from '../programs/commands';
import type { GitProgramSettings } from '../programs/git/settings';
import type { PulumiProgramSettings } from '../programs/pulumi-settings';
import type { PhasesSettings } from './phase-settings';
import type { WindowSettings } from './windows';

/** The program that makes the fleet: exactly one of these. */
export type ProgramSettings =
  | {
      /** A stack of Pulumi, on this machine. */
      readonly pulumi: PulumiProgramSettings;
    }
  | {
      /** A file in a Git repository that a pipeline deploys. */
      readonly git: GitProgramSettings;
    }
  | {
      /** Programs of one's own. */
      readonly commands: CommandsProgramSettings;
    };

/** How one swap at a time is made sure of, and where its record is kept. */
export type SwapLeaseSettings = Exclude<LeaseSettings, 'none'>;

/** A swap file: YAML or JSON. Its JSON Schema is `cluster-canary/schemas/swap.json`. */
export interface SwapSettings {
  /** Name of the fleet. Its clusters are named FLEET-SLOT, or have its tags. */
  readonly fleet: string;
  /** AWS region of its clusters. @default - that of the environment */
  readonly region?: string;
  /**
   * What the fleet is to be: a version of Kubernetes, or the slot's settings with a `version`, as the program's configuration
   * has them.
   */
  readonly to: SlotSetting;
  /**
   * Versions on the way, older ones first: the fleet is swapped to each of them completely. A text gets the other settings of
   * `to`.
   *
   * @default - none: from any version straight to `to`, since the new cluster is no upgrade of the old one
   */
  readonly via?: readonly SlotSetting[];
  /** Names that slots take in turn. @default [blue, green] */
  readonly slots?: readonly string[];
  /** How traffic moves: `traffic` by weights, `hub` by the right of one Argo CD to write. @default 'traffic' */
  readonly moves?: 'traffic' | 'hub';
  /** The program that makes the fleet. */
  readonly program: ProgramSettings;
  /** How one swap at a time is made sure of. @default { ssm: {} } - a parameter in the region of the fleet */
  readonly lease?: SwapLeaseSettings;
  /**
   * Where the weights are, as in a plan of a shift.
   *
   * @default - the rules and records that are found by the tags of the fleet's target groups
   */
  readonly route?: RouteSettings;
  /** What leads to each slot past the weights, as `preview` in a plan of a shift. @default - nothing */
  readonly previews?: Readonly<Record<string, SlotPreview>>;
  /** When phases may begin that change something. @default - at any time */
  readonly windows?: readonly WindowSettings[];
  /** How each phase goes. @default - as each of them says */
  readonly phases?: PhasesSettings;
}

/** A swap file that has no problem, with its defaults. */
export interface CheckedSwapFile extends Readonly<
  Required<Pick<SwapSettings, 'fleet' | 'slots' | 'moves' | 'program' | 'lease' | 'previews' | 'phases'>>
> {
  /** File that it was read from, as it was given. Paths in it start from its folder. */
  readonly file: string;
  /** @default - as in {@link SwapSettings} */
  readonly region?: string;
  /** Settings of the new slot, of each version on the way; the last one is where it ends. */
  readonly versions: readonly SlotSetting[];
  /** @default - as in {@link SwapSettings} */
  readonly route?: RouteSettings;
  /** @default - at any time */
  readonly windows?: readonly WindowSettings[];
}
