export { sameConfiguration, versionOf } from '../configuration';
export type { FleetConfiguration, SlotSetting } from '../configuration';
export { ProgramChanged } from '../program';
export type { DrainedSlot, FleetProgram, ProgramChange, ProgramDeployment } from '../program';
export { checkExpected } from './expected';
export { readFleet, withFleet } from './fleet-file';
export type { FleetPlaces } from './fleet-file';
export { pulumiProgramSchema } from './pulumi-settings';
export type { PulumiProgramSettings } from './pulumi-settings';
