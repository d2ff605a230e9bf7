import type { BasicAuth, BearerToken, TrustedCertificates } from './provider-fields';
import type { SecretKey } from './secret-key';

/** What every host can do. */
export interface AnyScmHost {
  /** Whether every branch is given. @default false - the default branch alone */
  readonly allBranches?: boolean;
}

/** The hosts. Each takes where its credential is, never the credential. */
export interface ScmHosts {
  /** An organization at GitHub, or on a GitHub Enterprise server. */
  readonly github: AnyScmHost & {
    /** Name of the organization. */
    readonly organization: string;
    /** URL of a GitHub Enterprise server. @default - GitHub */
    readonly api?: string;
    /** Where an access token is. @default - none: public repositories, with a low limit */
    readonly tokenRef?: SecretKey;
    /** Secret of a GitHub App, with the fields of a repository credential. @default - by `tokenRef` */
    readonly appSecretName?: string;
    /** Whether archived repositories are left out. @default false */
    readonly excludeArchivedRepos?: boolean;
  };
  /** A group at GitLab. */
  readonly gitlab: AnyScmHost &
    TrustedCertificates & {
      /** Identifier or path of the group. */
      readonly group: string;
      /** URL of a GitLab of one's own. @default - gitlab.com */
      readonly api?: string;
      /** Where an access token is. @default - none: public projects */
      readonly tokenRef?: SecretKey;
      /** Whether subgroups count. @default false */
      readonly includeSubgroups?: boolean;
      /** Whether projects that are shared with a subgroup count. @default true - Argo CD's default */
      readonly includeSharedProjects?: boolean;
      /** Whether archived projects count. @default - Argo CD's default */
      readonly includeArchivedRepos?: boolean;
      /** Topic that a project must have. @default - any */
      readonly topic?: string;
    };
  /** An owner on a Gitea server. */
  readonly gitea: AnyScmHost & {
    /** Name of the owner. */
    readonly owner: string;
    /** URL of the server. */
    readonly api: string;
    /** Where an access token is. @default - none: public repositories */
    readonly tokenRef?: SecretKey;
    /** Whether archived repositories are left out. @default false */
    readonly excludeArchivedRepos?: boolean;
  };
  /** A workspace at Bitbucket Cloud. */
  readonly bitbucket: AnyScmHost & {
    /** Identifier of the workspace. */
    readonly owner: string;
    /** User name. */
    readonly user: string;
    /** Where the user's app password is. */
    readonly appPasswordRef: SecretKey;
  };
  /** A project on a Bitbucket server. */
  readonly bitbucketServer: AnyScmHost &
    TrustedCertificates & {
      /** Key of the project. */
      readonly project: string;
      /** URL of the server's API. */
      readonly api: string;
      /** User name and password; or `bearerToken`. @default - none: public repositories */
      readonly basicAuth?: BasicAuth;
      /** Token; or `basicAuth`. @default - none: public repositories */
      readonly bearerToken?: BearerToken;
    };
  /** A team project at Azure DevOps. */
  readonly azureDevOps: AnyScmHost & {
    /** Name of the organization. */
    readonly organization: string;
    /** Name of the team project. */
    readonly teamProject: string;
    /** Where an access token is. */
    readonly accessTokenRef: SecretKey;
    /** URL of a server of one's own. @default - dev.azure.com */
    readonly api?: string;
  };
  /** AWS CodeCommit. */
  readonly awsCodeCommit: AnyScmHost & {
    /** Region. @default - the ApplicationSet controller's */
    readonly region?: string;
    /** ARN of a role that the controller assumes. @default - its own identity */
    readonly role?: string;
    /** Tags that a repository must have. @default - every repository */
    readonly tagFilters?: readonly {
      /** Key of the tag. */
      readonly key: string;
      /** The tag's value. @default - any */
      readonly value?: string;
    }[];
  };
}
