import type * as aws from '@pulumi/aws';
import type { ClusterCredentials, FleetSource } from '../fleet';
import { clusterCredentialsKeys } from '../fleet';
import type { AppProjectProps, ApplicationSetProps } from '../gitops';
import { notificationSettingsKeys, appProjectPropsKeys, applicationSetPropsKeys } from '../gitops';
import type { OptionsOf } from '../problems';
import { listOf } from '../problems';
import type { ArgoCdInstallation } from './argo-cd-chart';
import type { HubAwsArgs } from './hub-aws-arguments';
import type { HubSize } from './argo-cd-sharding';
import { hubSizeKeys } from './argo-cd-sharding';
import { argoCdSsoKeys } from './argo-cd-sso';
import type { HandoverSettings } from './handover/settings';
import { handoverSettingsKeys } from './handover/settings';
import type { HubCredentialTemplate, HubRepository } from './hub-objects';
import { hubCredentialTemplateKeys, hubRepositoryKeys } from './hub-objects';

/** What `ArgoCdHub` takes. */
export interface ArgoCdHubArgs extends Omit<ArgoCdInstallation, 'size'>, HubAwsArgs {
  /** The clusters that Argo CD runs on: a fleet of this program, or plain values of another stack's. */
  readonly fleet: FleetSource;
  /**
   * The slot whose Argo CD writes. The others stand by: they compare, and may only read in the managed clusters. Another
   * one is a handover, see `handover`.
   * @default - the only slot; to be named where there are several
   */
  readonly active?: string;
  /** How one hub takes over from another. @default - each setting's own */
  readonly handover?: HandoverSettings;
  /**
   * Slots whose API server is gone. What is installed there is left as it is, and nothing is asked of it; its rights in the
   * managed clusters end all the same.
   *
   * Not with `identity: 'shared'`, and only where `fleet` is a `FleetRef`: a slot that this program makes is taken out of
   * its fleet instead, since all that it holds goes with its cluster.
   * @default - none
   */
  readonly lost?: readonly string[];
  /** The fleets that Argo CD manages. */
  readonly manages: readonly FleetSource[];
  /** How many clusters and Applications it has to look after, see `argoCdSizing`. @default - the chart's own replicas */
  readonly size?: HubSize;
  /** Projects. @default - none but Argo CD's own */
  readonly projects?: readonly Omit<AppProjectProps, 'namespace'>[];
  /** Repositories. @default - none */
  readonly repositories?: readonly HubRepository[];
  /** Credentials for several repositories each. @default - none */
  readonly credentialTemplates?: readonly HubCredentialTemplate[];
  /** ApplicationSets. @default - none */
  readonly applicationSets?: readonly Omit<ApplicationSetProps, 'namespace'>[];
  /**
   * Whether an add-on that Argo CD delivers is synchronised only when all that it requires is healthy, by a RollingSync. Argo
   * CD then takes back no change that somebody makes in the cluster, and does not see a change of values alone.
   * @default false - each synchronises by itself, and is tried again until what it requires is there
   * @see https://github.com/argoproj/argo-cd/issues/27949
   */
  readonly addonSteps?: boolean;
  /**
   * Whether each hub slot has an IAM role of its own, or all share one. With a shared role the clusters can't tell
   * the hubs apart, so a standby's controllers do not run at all.
   * @default 'perSlot' - a standby is fenced off at every managed cluster
   */
  readonly identity?: 'perSlot' | 'shared';
  /** Namespaces of the managed clusters that Argo CD is limited to. @default - everything, cluster-wide objects too */
  readonly targetNamespaces?: readonly string[];
  /**
   * How Argo CD reaches the managed clusters' API servers: by a security group rule that lets the hub's nodes in on
   * port 443, or in a way of one's own.
   * @default 'securityGroup' - needed for private endpoints in the same or a peered VPC
   */
  readonly reach?: 'securityGroup' | 'own';
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** Raw arguments of the IAM roles. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** How this program gets a token for a hub cluster of another stack. @default - the environment's */
  readonly credentials?: ClusterCredentials;
}

// Of every project and set, the hub says the namespace.
const { namespace: _, ...hubProjectKeys } = appProjectPropsKeys;
const { namespace: __, ...hubApplicationSetKeys } = applicationSetPropsKeys;

export const argoCdHubArgsKeys: OptionsOf<ArgoCdHubArgs> = {
  tags: 'plain',
  permissionsBoundaryArn: 'open',
  fleet: 'open',
  active: 'plain',
  handover: handoverSettingsKeys,
  lost: 'list',
  manages: listOf('open'),
  size: hubSizeKeys,
  projects: listOf(hubProjectKeys),
  repositories: listOf(hubRepositoryKeys),
  credentialTemplates: listOf(hubCredentialTemplateKeys),
  applicationSets: listOf(hubApplicationSetKeys),
  addonSteps: 'plain',
  identity: 'plain',
  targetNamespaces: 'list',
  reach: 'plain',
  namespace: 'plain',
  roleArgs: 'open',
  credentials: clusterCredentialsKeys,
  values: 'open',
  timeoutSeconds: 'plain',
  releaseArgs: 'open',
  chartVersion: 'plain',
  highAvailability: 'plain',
  notifications: notificationSettingsKeys,
  repoCacheExpiration: 'plain',
  domain: 'plain',
  sso: argoCdSsoKeys,
  groups: 'plain',
  policies: 'list',
  admin: 'plain',
  ownCluster: 'plain',
};
