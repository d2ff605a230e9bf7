import { regionName } from '../../../core/aws/access-schema';
import {
  list,
  object,
  oneKeyOf,
  optional,
  optionalOrNull,
  record,
} from '../../../core/validation/collections';
import type { Entries, Schema } from '../../../core/validation/schema';
import { anything, dnsLabelText, oneOf, that } from '../../../core/validation/values';
import { neededLeaseSchema } from '../../../shift/leases';
import { slotPreview } from '../../../shift/probes';
import { commandsProgramSchema } from '../programs/commands';
import type { CommandsProgramSettings } from '../programs/commands';
import { slotSetting } from '../programs/fleet-values';
import { gitProgramSchema } from '../programs/git/settings';
import type { GitProgramSettings } from '../programs/git/settings';
import { pulumiProgramSchema } from '../programs/pulumi-settings';
import type { PulumiProgramSettings } from '../programs/pulumi-settings';
import { phasesSchema, waitTime } from './phase-settings';
import type { ProgramSettings, SwapSettings } from './swap-file';
import type { SwapWavesSettings, WaveFleetSettings } from './swap-waves-file';
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

/** A route is evaluated by the kind of its router. */
const entries: Entries<SwapSettings> = {
  fleet: dnsLabelText,
  region: optional(regionName),
  to: slotSetting,
  via: optional(list(slotSetting, 0, 'a list of versions, older ones first: ["1.34", "1.35"]')),
  slots: optional(list(dnsLabelText, 2, 'a list of at least two names')),
  moves: optional(oneOf('traffic', 'hub')),
  program: programSchema,
  // Without a lease two swaps of a fleet could run at once, and no run could go on with another.
  lease: optional(neededLeaseSchema),
  route: optional(anything),
  previews: optional(record(slotPreview, dnsLabelText, 'an object of previews by slot')),
  windows: optional(windowsSchema),
  phases: optionalOrNull(phasesSchema),
};

/** What a swap file for one fleet may say. */
export const swapSchema: Schema<SwapSettings> = object<SwapSettings>(entries);

/** What one of several fleets may say: what it lacks, the file says for all. */
const ofFleet: Entries<WaveFleetSettings> = {
  ...entries,
  fleet: optional(entries.fleet),
  to: optional(entries.to),
};

/** Each region has a few. */
export const mostFleets = 50;

const fleetsAllowed = `an object of 1 to ${mostFleets} fleets by name, each with its program`;

/** Which names there are, the fleets say. */
const fleetName = { ...anything, json: { type: 'string', minLength: 1 } };

/** What a swap file for several fleets may say. */
export const swapWavesSchema: Schema<SwapWavesSettings> = object<SwapWavesSettings>({
  fleets: that(
    record(object<WaveFleetSettings>(ofFleet), dnsLabelText, fleetsAllowed),
    fleetsAllowed,
    (fleets) => Object.keys(fleets).length > 0 && Object.keys(fleets).length <= mostFleets,
    { minProperties: 1, maxProperties: mostFleets },
  ),
  waves: optional(
    list(
      list(fleetName, 1, 'a list of names of fleets'),
      1,
      'a list of waves, each a list of names of fleets: [[eu], [us, ap]]',
    ),
  ),
  waitBetweenWaves: optional(waitTime),
  fleet: ofFleet.fleet,
  region: ofFleet.region,
  to: ofFleet.to,
  via: ofFleet.via,
  slots: ofFleet.slots,
  moves: ofFleet.moves,
  lease: ofFleet.lease,
  windows: ofFleet.windows,
  phases: ofFleet.phases,
});
