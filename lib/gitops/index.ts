export { AppProject } from './app-project';
export type { AppProjectProps, ClusterResourceKind, ProjectDestination, ResourceKind } from './app-project';
export { Application } from './application';
export type { ApplicationFinalizer, ApplicationProps } from './application';
export { ApplicationSet } from './application-set';
export type { ApplicationSetProps, ApplicationSetSyncPolicy, ApplicationTemplate } from './application-set';
export type {
  AllAtOnce,
  ApplicationSetStrategy,
  RollingSync,
  RollingSyncStep,
} from './application-set-strategy';
export type { ApplicationSource, ChartSource, GitSource, ReferenceSource } from './application-source';
export type { ApplicationSpec } from './application-spec';
export type { ArgoObjectProps } from './argo-object';
export type { AwsAuthConfig, ClusterConfig, ExecProviderConfig, TlsClientConfig } from './cluster-config';
export { ClusterSecret } from './cluster-secret';
export type { ClusterSecretProps } from './cluster-secret';
export type { Destination, DestinationByName, DestinationByServer } from './destination';
export type { DirectoryOptions, JsonnetVariable } from './directory-options';
export type {
  AnyGenerator,
  ClustersGenerator,
  ClustersOptions,
  CombiningGenerator,
  Generator,
  GitGenerator,
  GitOptions,
  GitPath,
  LeafGenerator,
  ListGenerator,
  ListOptions,
  MatrixGenerator,
  MergeGenerator,
  NestedGenerator,
} from './generator';
export { generators } from './generators';
export type { HelmOptions } from './helm-options';
export type { IgnoredDifference } from './ignore-differences';
export type { JsonValue } from './json-value';
export type { KustomizeOptions, KustomizePatch } from './kustomize-options';
export type { LabelRequirement, LabelSelector } from './label-selector';
export type { ProjectPolicy, ProjectRole } from './project-role';
export { Repository } from './repository';
export type { RepositoryLocation, RepositoryProps } from './repository';
export type {
  BearerCredential,
  GitHubAppCredential,
  PasswordCredential,
  RepositoryCredential,
  SshCredential,
} from './repository-credential';
export { RepositoryCredentials } from './repository-credentials';
export type { RepositoryCredentialsProps } from './repository-credentials';
export type { AutomatedSync, NamespaceMetadata, SyncOption, SyncPolicy, SyncRetry } from './sync-policy';
export type { SyncWindow } from './sync-window';
