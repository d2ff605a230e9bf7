import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { ClusterCredentials, FleetSource } from '../fleet';
import { clusterCredentialsKeys } from '../fleet';
import type { AppProjectProps, ApplicationSetProps } from '../gitops';
import type { HubAwsArgs } from './hub-aws-arguments';
import { appProjectPropsKeys, applicationSetPropsKeys } from '../gitops';
import type { OptionsOf } from '../problems';
import { listOf } from '../problems';
import type { HubCredentialTemplate, HubRepository } from './hub-objects';
import { hubCredentialTemplateKeys, hubRepositoryKeys } from './hub-objects';

/** People of AWS Identity Center, by what they may do in Argo CD. */
export interface ManagedArgoCdPeople {
  /** Identifiers of groups. @default - none */
  readonly groups?: readonly string[];
  /** Identifiers of users. @default - none */
  readonly users?: readonly string[];
}

const managedArgoCdPeopleKeys: OptionsOf<ManagedArgoCdPeople> = { groups: 'list', users: 'list' };

/** What `ManagedArgoCd` takes. */
export interface ManagedArgoCdArgs extends HubAwsArgs {
  /** The fleet in which the capability is made: a fleet of this program, or plain values of another stack's. */
  readonly fleet: FleetSource;
  /** The slot whose cluster gets the capability. @default - the only slot; to be named where there are several */
  readonly slot?: string;
  /** The fleets that Argo CD manages. */
  readonly manages: readonly FleetSource[];
  /** AWS Identity Center, which is the only login of the managed Argo CD. */
  readonly identityCenter: {
    /** ARN of the instance. */
    readonly instanceArn: pulumi.Input<string>;
    /** Its region. @default - that of the cluster */
    readonly region?: pulumi.Input<string>;
  };
  /**
   * Who may do what in Argo CD itself. Applications are seen by those who have a role of the project.
   * @default - nobody may do anything
   */
  readonly people?: {
    /** May do everything. */
    readonly admins?: ManagedArgoCdPeople;
    /** May make Applications. */
    readonly editors?: ManagedArgoCdPeople;
    /** May look. */
    readonly viewers?: ManagedArgoCdPeople;
  };
  /** VPC endpoints through which alone Argo CD's server is reached. @default - its public address */
  readonly vpcEndpointIds?: readonly pulumi.Input<string>[];
  /** Projects. @default - none but Argo CD's own */
  readonly projects?: readonly Omit<AppProjectProps, 'namespace' | 'sourceNamespaces'>[];
  /** Repositories. @default - none */
  readonly repositories?: readonly HubRepository[];
  /** Credentials for several repositories each. @default - none */
  readonly credentialTemplates?: readonly HubCredentialTemplate[];
  /** ApplicationSets. @default - none */
  readonly applicationSets?: readonly Omit<ApplicationSetProps, 'namespace'>[];
  /** Namespaces of the managed clusters that Argo CD is limited to. @default - everything, cluster-wide objects too */
  readonly targetNamespaces?: readonly string[];
  /** Namespace of Argo CD's objects: the only one that the managed Argo CD looks at. @default 'argocd' */
  readonly namespace?: string;
  /** Name of the capability. @default 'argocd' */
  readonly capabilityName?: string;
  /** Raw arguments of the capability. @default - none */
  readonly capabilityArgs?: Partial<aws.eks.CapabilityArgs>;
  /** Raw arguments of the capability's role. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** How this program gets a token for a cluster of another stack. @default - the environment's */
  readonly credentials?: ClusterCredentials;
}

// Of every project and set, the hub says the namespace.
const { namespace: _, sourceNamespaces: ___, ...hubProjectKeys } = appProjectPropsKeys;
const { namespace: __, ...hubApplicationSetKeys } = applicationSetPropsKeys;

export const managedArgoCdArgsKeys: OptionsOf<ManagedArgoCdArgs> = {
  tags: 'plain',
  permissionsBoundaryArn: 'open',
  fleet: 'open',
  slot: 'plain',
  manages: listOf('open'),
  identityCenter: { instanceArn: 'open', region: 'open' },
  people: {
    admins: managedArgoCdPeopleKeys,
    editors: managedArgoCdPeopleKeys,
    viewers: managedArgoCdPeopleKeys,
  },
  vpcEndpointIds: listOf('open'),
  projects: listOf(hubProjectKeys),
  repositories: listOf(hubRepositoryKeys),
  credentialTemplates: listOf(hubCredentialTemplateKeys),
  applicationSets: listOf(hubApplicationSetKeys),
  targetNamespaces: 'list',
  namespace: 'plain',
  capabilityName: 'plain',
  capabilityArgs: 'open',
  roleArgs: 'open',
  credentials: clusterCredentialsKeys,
};
