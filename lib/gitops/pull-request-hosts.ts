import type { BasicAuth, BearerToken, TrustedCertificates } from './provider-fields';
import type { SecretKey } from './secret-key';

/** Labels, all of which a pull request must have. */
export interface LabelledPullRequests {
  /** The labels. @default - any */
  readonly labels?: readonly string[];
}

/** A repository of an owner. */
export interface OwnedRepository {
  /** The organization, user or workspace. */
  readonly owner: string;
  /** Name of the repository. */
  readonly repo: string;
}

/** Ways to log in to Bitbucket, at most one. */
export interface BitbucketLogin {
  /** User name and password. @default - none: a public repository */
  readonly basicAuth?: BasicAuth;
  /** Token. @default - none: a public repository */
  readonly bearerToken?: BearerToken;
}

/** The hosts. Each takes where its credential is, never the credential. */
export interface PullRequestHosts {
  /** A repository at GitHub, or on a GitHub Enterprise server. */
  readonly github: LabelledPullRequests &
    OwnedRepository & {
      /** URL of a GitHub Enterprise server. @default - GitHub */
      readonly api?: string;
      /** Where an access token is. @default - none: a public repository, with a low limit */
      readonly tokenRef?: SecretKey;
      /** Secret of a GitHub App, with the fields of a repository credential. @default - by `tokenRef` */
      readonly appSecretName?: string;
    };
  /** A project at GitLab. */
  readonly gitlab: LabelledPullRequests &
    TrustedCertificates & {
      /** Identifier of the project. */
      readonly project: string;
      /** URL of a GitLab of one's own. @default - gitlab.com */
      readonly api?: string;
      /** Where an access token is. @default - none: a public project */
      readonly tokenRef?: SecretKey;
      /** State of the merge requests. @default - any state; closed ones, too */
      readonly pullRequestState?: 'opened' | 'closed' | 'merged' | 'locked';
    };
  /** A repository on a Gitea server. */
  readonly gitea: LabelledPullRequests &
    OwnedRepository & {
      /** URL of the server. */
      readonly api: string;
      /** Where an access token is. @default - none: a public repository */
      readonly tokenRef?: SecretKey;
    };
  /** A repository at Bitbucket Cloud. */
  readonly bitbucket: OwnedRepository &
    BitbucketLogin & {
      /** URL of the API. @default - Bitbucket Cloud's */
      readonly api?: string;
    };
  /** A repository on a Bitbucket server. */
  readonly bitbucketServer: TrustedCertificates &
    BitbucketLogin & {
      /** Key of the project. */
      readonly project: string;
      /** Name of the repository. */
      readonly repo: string;
      /** URL of the server's API. */
      readonly api: string;
    };
  /** A repository at Azure DevOps. */
  readonly azuredevops: LabelledPullRequests & {
    /** Name of the organization. */
    readonly organization: string;
    /** Name of the project. */
    readonly project: string;
    /** Name of the repository. */
    readonly repo: string;
    /** URL of a server of one's own. @default - dev.azure.com */
    readonly api?: string;
    /** Where an access token is. @default - none: a public repository */
    readonly tokenRef?: SecretKey;
  };
}
