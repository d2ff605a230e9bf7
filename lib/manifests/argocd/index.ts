export { fleetLabel, slotLabel } from '../../core/names';
export { AppProject, appProjectEntries } from './app-project';
export type {
  AppProjectProps,
  ClusterResourceKind,
  ProjectDestination,
  ProjectPolicy,
  ProjectRole,
  ProjectResource,
} from './app-project';
export { Application, capacityDifferences } from './application';
export type {
  ApplicationFinalizer,
  ApplicationProps,
  ApplicationSpec,
  Destination,
  DestinationByName,
  DestinationByServer,
  IgnoredDifference,
} from './application';
export { ApplicationSet, applicationSetEntries } from './application-set';
export type {
  ApplicationSetProps,
  ApplicationSetSyncPolicy,
  IgnoredApplicationDifference,
} from './application-set';
export type {
  ApplicationSource,
  ChartSource,
  DirectoryOptions,
  GitSource,
  HelmOptions,
  JsonnetVariable,
  KustomizeOptions,
  KustomizePatch,
  ReferenceSource,
  SourcePlugin,
  SourcePluginParameter,
  SourcePluginVariable,
} from './application-source';
export type { ApplicationTemplate, GeneratorTemplate } from './application-template';
export type { ArgoObjectProps, JsonValue } from './argo-object';
export { ClusterSecret, clusterConfigText } from './cluster-secret';
export type {
  AwsAuthConfig,
  ClusterConfig,
  ClusterSecretProps,
  ExecProviderConfig,
  TlsClientConfig,
} from './cluster-secret';
export { fleetDestinations, slotLabels } from './fleet-destinations';
export type { DestinationFleet } from './fleet-destinations';
export type {
  AnyGenerator,
  BasicAuth,
  BearerToken,
  ExactlyOne,
  TrustedCertificates,
} from './generators/common';
export type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './generators/external';
export { generators } from './generators/generators';
export type {
  ClustersGenerator,
  ClustersOptions,
  CombiningGenerator,
  Generator,
  GitGenerator,
  GitOptions,
  GitPath,
  LeafGenerator,
  ListGenerator,
  ListGeneratorOptions,
  MatrixGenerator,
  MergeGenerator,
  NestedGenerator,
} from './generators/generators';
export type {
  BitbucketLogin,
  LabelledPullRequests,
  OwnedRepository,
  PullRequestFilter,
  PullRequestGenerator,
  PullRequestHosts,
  PullRequestOptions,
  PullRequestSearch,
} from './generators/pull-request';
export type {
  AnyScmHost,
  RepositoryFilter,
  ScmHosts,
  ScmProviderGenerator,
  ScmProviderOptions,
  ScmProviderSearch,
} from './generators/scm-provider';
export { GitHubApp } from './github-app';
export type { GitHubAppInstallation, GitHubAppProps, GitHubAppRepository } from './github-app';
export { HelmfilePlugin, helmfilePluginValues } from './helmfile-plugin/helmfile-plugin';
export type { HelmfilePluginProps } from './helmfile-plugin/props';
export type { PluginChartValues, RepoServerPatch } from './helmfile-plugin/sidecar';
export type { LabelSelector, LabelSelectorRequirement } from '../../core/kubernetes/label-selector';
export {
  Notifications,
  notificationEntries,
  notificationProblems,
  notificationSettings,
  subscribeTo,
} from './notifications/notifications';
export type {
  NotificationEntries,
  NotificationSettings,
  NotificationSubscription,
  NotificationsProps,
  SubscribeOptions,
} from './notifications/notifications';
export type {
  EmailService,
  NotificationService,
  OtherService,
  SlackService,
  NotificationWebhook,
} from './notifications/services';
export {
  NotificationField,
  NotificationText,
  applicationNotification,
  jsonTemplate,
  notificationField,
  notificationText,
} from './notifications/templates';
export type {
  NotificationJson,
  NotificationValue,
  NotificationTemplate,
  WebhookRequest,
} from './notifications/templates';
export { notificationTriggers, oncePerRevision } from './notifications/triggers';
export type { NotificationTrigger, TriggerCondition } from './notifications/triggers';
export { Repository, RepositoryCredentials } from './repository';
export type { RepositoryCredentialsProps, RepositoryLocation, RepositoryProps } from './repository';
export type {
  BearerCredential,
  GitHubAppCredential,
  PasswordCredential,
  RepositoryCredential,
  SecretText,
  SshCredential,
} from './repository-credential';
export { rollingSyncForFleet } from './rolling-sync';
export type {
  AllAtOnce,
  ApplicationSetStrategy,
  RollingSync,
  RollingSyncOptions,
  RollingSyncStep,
} from './rolling-sync';
export { forbidPlainTextKeys } from './secrets';
export type { ConfigMapKey, ExternalValue, ArgoCdSecretKey, StoredValue } from './secrets';
export type { AutomatedSync, NamespaceMetadata, SyncOption, SyncPolicy, SyncRetry } from './sync-policy';
export { shiftWindow, withShiftWindow, withoutShiftWindow } from './sync-window';
export type { ShiftWindowOptions, SyncWindow } from './sync-window';
