export {
  ClusterSetSync,
  checkClusterSet,
  clusterSetAccess,
  clusterSetRights,
  parseClusterSet,
  withDefaults,
} from '../../manifests/cluster-sync';
export type {
  ClusterLogin,
  ClusterSelector,
  ClusterSet,
  ClusterSetAccount,
  ClusterSetMetadata,
  ClusterSetSettings,
  ClusterSetSpec,
  ClusterSetSyncProps,
  ClusterTemplate,
  ClusterTemplateMetadata,
  DeletionSettings,
  EksCluster,
  FoundClusters,
  ClusterPlace,
  ReconcileSettings,
} from '../../manifests/cluster-sync';
export { Limiter } from '../../core/async';
export { currentSecret } from './current-secrets';
export type { ChangedField, CurrentSecret, OwnedSecret } from './current-secrets';
export { desiredState } from './desired-secrets';
export type { DesiredSecret, DesiredState, SkippedCluster } from './desired-secrets';
export { eksSource } from './eks-source';
export type { ClusterSource, ListClusters, SearchOptions } from './eks-source';
export type { FailedWrite } from './hub-secrets';
export type { ClustersPlan, Creation, Deletion, UnchangedSecret, PlannedSecret, Update } from './plan';
export { reconcile } from './reconcile';
export { planClusters, planDocument, syncClusters } from './sync';
export type { PlanDocument, SyncOutcome, SyncDependencies } from './sync';
