export { fullWeights } from '../../shift/engine';
export type { CapacitySettings, Scaling, ServiceName } from '../../shift/capacity';
export type { Weights } from '../../shift/engine';
export { FleetSplit, TrafficSplit } from './traffic-split';
export type { SlotWeights, TrafficSplitArgs } from './traffic-split';
export type {
  AdoptedAlbArgs,
  AlbDns,
  AlbIpAddressType,
  AlbListenerArgs,
  CreatedAlbArgs,
  WeightedAlbArgs,
} from './alb-args';
export type { SyncWindowArgs, TrafficLabelsArgs } from './argocd';
export { edgeRef } from './edge';
export type { EdgeRef, EdgeSource } from './edge';
export { FleetListeners } from './fleet-listeners';
export type { FleetListenerSettings, FleetListenersArgs } from './fleet-listeners';
export { FleetRecords } from './fleet-records';
export type { FleetRecordsArgs, RecordTarget } from './fleet-records-args';
export { FleetTraffic } from './fleet-traffic';
export type { FleetTrafficArgs, RouteArgs } from './fleet-traffic';
export { targetPorts } from './ingress-rules';
export type { QueryString, RuleConditions } from './rule-conditions';
export type { TrafficCapacityArgs } from './shift/capacity-args';
export type { DeepInput, ShiftRunner, TrafficShiftArgs } from './shift/shift-args';
export type { SlotPreviewsArgs } from './slot-previews-args';
export { WeightedAlb } from './weighted-alb';
export { WeightedListener } from './weighted-listener';
export type { ListenerProtocol, ListenerSettings, WeightedListenerArgs } from './weighted-listener';
export { WeightedRule } from './weighted-rule';
export type { RuleSettings, WeightedRuleArgs } from './weighted-rule';
export { shiftWorkflowRole } from './workflow-role';
export type { ShiftWorkflowRoleArgs } from './workflow-role';
