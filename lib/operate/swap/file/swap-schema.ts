import { regionName } from '../../../core/aws/access-schema';
import {
  list,
  object,
  oneKeyOf,
  optional,
  optionalOrNull,
  record,
} from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { anything, dnsLabelText, oneOf } from '../../../core/validation/values';
import { leaseSchema } from '../../../shift/leases';
import { slotPreview } from '../../../shift/probes';
import { commandsProgramSchema } from '../programs/commands';
import type { CommandsProgramSettings } from '../programs/commands';
import { slotSetting } from '../programs/fleet-values';
import { gitProgramSchema } from '../programs/git/settings';
import type { GitProgramSettings } from '../programs/git/settings';
import { pulumiProgramSchema } from '../programs/pulumi-settings';
import type { PulumiProgramSettings } from '../programs/pulumi-settings';
import { phasesSchema } from './phase-settings';
import type { ProgramSettings, SwapLeaseSettings, SwapSettings } from './swap-file';
import { windowsSchema } from './windows';

/** Every kind of program by its key. */
interface Programs {
  readonly pulumi: PulumiProgramSettings;
  readonly git: GitProgramSettings;
  readonly commands: CommandsProgramSettings;
}

/** What a swap file may say of its program. */
const programSchema = oneKeyOf<Programs>(
  { pulumi: pulumiProgramSchema, git: gitProgramSchema, commands: commandsProgramSchema },
  'an object with exactly one of "pulumi", "git", "commands"',
) as Schema<ProgramSettings>;

/** What a swap file may say. A route is evaluated by the kind of its router. */
export const swapSchema: Schema<SwapSettings> = object<SwapSettings>({
  fleet: dnsLabelText,
  region: optional(regionName),
  to: slotSetting,
  via: optional(list(slotSetting, 0, 'a list of versions, older ones first: ["1.34", "1.35"]')),
  slots: optional(list(dnsLabelText, 2, 'a list of at least two names')),
  moves: optional(oneOf('traffic', 'hub')),
  program: programSchema,
  // Without a lease two swaps of a fleet could run at once, and no run could go on with another: problems.ts refuses "none".
  lease: optional(leaseSchema as Schema as Schema<SwapLeaseSettings>),
  route: optional(anything),
  previews: optional(record(slotPreview, dnsLabelText, 'an object of previews by slot')),
  windows: optional(windowsSchema),
  phases: optionalOrNull(phasesSchema),
});
