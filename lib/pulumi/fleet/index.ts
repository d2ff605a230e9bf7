export { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
export type { EksApiServer } from '../../core/kubernetes/eks-kubeconfig';
export { liveShare } from '../../operate/live-traffic';
export type { SlotIdentity, SlotShare } from '../../operate/live-traffic';
export { ClusterFleet, mostSlots } from './cluster-fleet';
export type { ClusterFleetArgs } from './cluster-fleet';
export { ClusterSlot } from './cluster-slot';
export type { ClusterSlotArgs } from './cluster-slot';
export { drainRemovedSlots } from './drain';
export type { EksAddonVersions, OwnEksAddon } from './eks-addons';
export type { Endpoint } from './endpoint';
export { trafficPort } from './entries';
export type { IpFamily } from './ip-family';
export { connectToCluster, kubeconfigText } from './kubernetes-provider';
export type { ClusterConnection, ConnectionOptions } from './kubernetes-provider';
export { NodeGroup } from './nodes';
export type { NodeGroupArgs } from './nodes';
export type { NodesArgs } from './nodes-args';
export type {
  AdoptedCluster,
  ClusterCredentials,
  ControlPlaneLog,
  DrainArgs,
  FleetWideArgs,
  Network,
  SlotArgs,
} from './slot-args';
export { fleetRef, fleetSource, soundFleet } from './slot-ref';
export type { Entry, EntryHealthCheck, FleetRef, FleetSource, SlotRef } from './slot-ref';
export { clusterCredentials } from './slot-schema';
