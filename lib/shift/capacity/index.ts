export { capacityAccess } from './access';
export type { OpenCluster } from './cluster';
export { giveBackCapacity } from './give-back';
export type { CapacityPreview, SlotCapacity } from './kubernetes-capacity';
export { openCapacity } from './open-capacity';
export type { CapacityContext } from './open-capacity';
export { capacityEntries, capacityProblems, capacitySettings } from './settings';
export type { CapacitySettings, Scaling } from './settings';
export type { ServiceName } from './workloads';
