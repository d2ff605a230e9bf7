export { describePlace, withDefaults } from './cluster-set';
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
  EksCluster,
  FoundClusters,
  ClusterPlace,
  ReconcileSettings,
} from './cluster-set';
export { ClusterSetSync, clusterSetAccess } from './cluster-set-sync';
export type { ClusterSetSyncProps } from './cluster-set-sync';
export { clusterSetRights } from './permissions';
export { checkClusterSet, clusterSetSettings, parseClusterSet } from './cluster-set-schema';
export { TemplateError, expandTemplate } from './text-template';
