export { AppProject, appProjectPropsKeys } from './app-project';
export type { AppProjectProps, ClusterResourceKind, ProjectDestination, ResourceKind } from './app-project';
export { Application } from './application';
export type { ApplicationFinalizer, ApplicationProps } from './application';
export { ApplicationSet, applicationSetPropsKeys } from './application-set';
export type { ApplicationTemplate, GeneratorTemplate } from './application-template';
export type {
  ApplicationSetProps,
  ApplicationSetSyncPolicy,
  IgnoredApplicationDifference,
} from './application-set';
export type {
  AllAtOnce,
  ApplicationSetStrategy,
  RollingSync,
  RollingSyncStep,
} from './application-set-strategy';
export type { ApplicationSource, ChartSource, GitSource, ReferenceSource } from './application-source';
export type { ApplicationSpec } from './application-spec';
export type { ArgoObjectProps } from './argo-object';
export type {
  ClusterDecisionResourceGenerator,
  ClusterDecisionResourceOptions,
  PluginGenerator,
  PluginOptions,
} from './asking-generators';
export { clusterConfigText } from './cluster-config';
export type { AwsAuthConfig, ClusterConfig, ExecProviderConfig, TlsClientConfig } from './cluster-config';
export { ClusterSecret } from './cluster-secret';
export type { ClusterSecretProps } from './cluster-secret';
export type { Destination, DestinationByName, DestinationByServer } from './destination';
export type { DirectoryOptions, JsonnetVariable } from './directory-options';
export type { ExternalValue, StoredValue } from './external-value';
export { fleetDestinations } from './fleet-destinations';
export type { DestinationFleet } from './fleet-destinations';
export { fleetLabel, slotLabel, slotLabels } from './fleet-labels';
export type { AnyGenerator } from './any-generator';
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
  ListOptions,
  MatrixGenerator,
  MergeGenerator,
  NestedGenerator,
} from './generator';
export { generators } from './generators';
export { GitHubApp } from './github-app';
export type { GitHubAppInstallation, GitHubAppProps, GitHubAppRepository } from './github-app';
export type { HelmOptions } from './helm-options';
export { HelmfilePlugin, helmfilePluginValues } from './helmfile-plugin/helmfile-plugin';
export type { HelmfilePluginProps } from './helmfile-plugin/helmfile-plugin-props';
export type { PluginChartValues, RepoServerParts } from './helmfile-plugin/plugin-parts';
export type { IgnoredDifference } from './ignore-differences';
export type { JsonValue } from './json-value';
export type { KustomizeOptions, KustomizePatch } from './kustomize-options';
export { labelRequirementKeys } from './label-selector';
export type { LabelRequirement, LabelSelector } from './label-selector';
export type {
  EmailService,
  NotificationService,
  OtherService,
  SlackService,
  WebhookService,
} from './notification-service';
export { subscribeTo } from './notification-subscription';
export type { NotificationSubscription, SubscribeOptions } from './notification-subscription';
export { applicationNotification } from './notification-template';
export type { NotificationPhrase, NotificationTemplate, WebhookRequest } from './notification-template';
export {
  NotificationField,
  NotificationText,
  jsonTemplate,
  notificationField,
  notificationText,
} from './notification-text';
export type { NotificationJson } from './notification-text';
export { notificationTriggers, oncePerRevision } from './notification-trigger';
export type { NotificationTrigger, TriggerCondition } from './notification-trigger';
export {
  Notifications,
  notificationEntries,
  notificationProblems,
  notificationSettingsKeys,
} from './notifications';
export type { NotificationEntries, NotificationSettings, NotificationsProps } from './notifications';
export { refusePlainKeys } from './plain-keys';
export type { ProjectPolicy, ProjectRole } from './project-role';
export type { BasicAuth, BearerToken, ExactlyOne, TrustedCertificates } from './provider-fields';
export type {
  BitbucketLogin,
  LabelledPullRequests,
  OwnedRepository,
  PullRequestHosts,
} from './pull-request-hosts';
export type {
  PullRequestFilter,
  PullRequestGenerator,
  PullRequestOptions,
  PullRequestSearch,
} from './pull-request';
export { Repository } from './repository';
export type { RepositoryLocation, RepositoryProps } from './repository';
export type {
  BearerCredential,
  GitHubAppCredential,
  PasswordCredential,
  RepositoryCredential,
  SecretText,
  SshCredential,
} from './repository-credential';
export { RepositoryCredentials } from './repository-credentials';
export type { RepositoryCredentialsProps } from './repository-credentials';
export { rollingSyncOf } from './rolling-sync-of';
export type { RollingSyncOptions } from './rolling-sync-of';
export type { AnyScmHost, ScmHosts } from './scm-hosts';
export type {
  RepositoryFilter,
  ScmProviderGenerator,
  ScmProviderOptions,
  ScmProviderSearch,
} from './scm-provider';
export { secretKeyKeys } from './secret-key';
export type { ConfigMapKey, SecretKey } from './secret-key';
export { shiftWindow, withShiftWindow, withoutShiftWindow } from './shift-window';
export type { ShiftWindowOptions } from './shift-window';
export type { SourcePlugin, SourcePluginParameter, SourcePluginVariable } from './source-plugin';
export type { AutomatedSync, NamespaceMetadata, SyncOption, SyncPolicy, SyncRetry } from './sync-policy';
export type { SyncWindow } from './sync-window';
