export type {
  ClusterLogin,
  ClusterSelector,
  ClusterSet,
  ClusterSetAccount,
  ClusterSetMetadata,
  ClusterSetSettings,
  ClusterSetSpec,
  ClusterTemplate,
  ClusterTemplateMetadata,
  DeletionSettings,
  Place,
} from './cluster-set';
export { ClusterSetSync } from './cluster-set-sync';
export type { ClusterSetSyncProps } from './cluster-set-sync-props';
export type { ClusterSource, SearchOptions } from './cluster-source';
export { currentSecret } from './current-secret';
export type { CurrentSecret, OwnSecret } from './current-secret';
export type { DesiredSecret } from './desired-secret';
export { desiredState } from './desired-state';
export type { DesiredState, SkippedCluster } from './desired-state';
export type { Change } from './differences';
export type { EksCluster, FoundClusters } from './eks-cluster';
export { eksSource } from './eks-source';
export type { ClustersOf } from './eks-source';
export type { FailedWrite } from './hub-secrets';
export type { Limiter } from './limiter';
export type { ClustersPlan, Creation, Deletion, Kept, PlannedSecret, Update } from './plan';
export { planDocument } from './plan-document';
export type { PlanDocument } from './plan-document';
export { checkClusterSet, parseClusterSet } from './read-cluster-set';
export { reconcile } from './reconcile';
export type { ReconcileSettings } from './reconcile-settings';
export { clusterSetRights } from './rights';
export { settingsOf } from './settings';
export { planClusters, syncClusters } from './sync';
export type { SyncOutcome, SyncParts } from './sync';
export { clusterSetAccess } from './sync-objects';
