export type {
  AdoptedAlbArgs,
  AlbDns,
  AlbIpAddressType,
  AlbListenerArgs,
  CreatedAlbArgs,
  WeightedAlbArgs,
} from './alb-arguments';
export type { QueryString, RuleConditions } from './conditions';
export { edgeRef } from './edge';
export type { EdgeRef, EdgeSource } from './edge';
export { FleetListeners } from './fleet-listeners';
export type { FleetListenersArgs, FleetListenerSettings } from './fleet-listeners-arguments';
export { FleetRecords } from './fleet-records';
export type { FleetRecordsArgs, RecordTarget } from './fleet-records-arguments';
export { FleetTraffic } from './fleet-traffic';
export type { FleetTrafficArgs, RouteArgs } from './fleet-traffic-arguments';
export type { ListenerProtocol, ListenerSettings } from './listener-settings';
export type { RuleSettings } from './rule-settings';
export type { DeepInput, ShiftRunner, TrafficShiftArgs } from './shift/arguments';
export type { SyncWindowArgs } from './sync-window';
export { targetPorts } from './target-ports';
export type { TrafficLabelsArgs } from './traffic-labels';
export { WeightedAlb } from './weighted-alb';
export { WeightedListener } from './weighted-listener';
export type { WeightedListenerArgs } from './weighted-listener';
export { WeightedRule } from './weighted-rule';
export type { WeightedRuleArgs } from './weighted-rule';
export { shiftWorkflowRole } from './workflow-role';
export type { ShiftWorkflowRoleArgs } from './workflow-role';
export { fullWeights } from '../shift';
export type { Weights } from '../shift';
