export { ClusterFleet, mostSlots } from './cluster-fleet';
export type { ClusterFleetArgs } from './cluster-fleet';
export { ClusterSlot } from './cluster-slot';
export type { ClusterSlotArgs } from './cluster-slot';
export type { DrainArgs } from './drain-arguments';
export { drainRemovedSlots } from './drain-hook';
export type { EksAddonVersions, OwnEksAddon } from './eks-addon-versions';
export type { Endpoint } from './endpoint';
export type { IpFamily } from './ip-family';
export { trafficPort } from './entry-target-group';
export { kubeconfig } from './kubeconfig';
export type { KubeconfigParts } from './kubeconfig';
export { connectToCluster, kubeconfigText } from './kubernetes-provider';
export type { ClusterConnection, ConnectionOptions } from './kubernetes-provider';
export type { SlotShare } from './in-place-changes';
export type { SlotIdentity } from './live-cluster';
export { liveShare } from './live-share';
export { NodeGroup } from './node-group';
export type { NodeGroupArgs } from './node-group';
export type { NodesArgs } from './nodes-arguments';
export { clusterCredentialsKeys } from './slot-arguments';
export type {
  AdoptedCluster,
  ClusterCredentials,
  ControlPlaneLog,
  FleetWideArgs,
  Network,
  SlotArgs,
} from './slot-arguments';
export { fleetRef } from './slot-ref';
export type { Entry, EntryHealthCheck, FleetRef, FleetSource, SlotRef } from './slot-ref';
