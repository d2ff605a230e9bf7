import { list, object, optional } from '../../../core/validation/collections';
import { oneOfWords } from '../../../core/validation/formats';
import type { Entries, Schema } from '../../../core/validation/schema';
import { withKeys } from '../../field-schemas';
import type { FieldsOf } from '../../field-schemas';
import { templated } from '../application-template';
import type { ArgoCdSecretKey } from '../secrets';
import {
  anyGeneratorEntries,
  basicAuth,
  bearerToken,
  caRef,
  filledText,
  filterOf,
  templatedFlag,
  hostUrl,
  requeueAfterSeconds,
  templatedTexts,
  tokenRef,
  values,
} from './common';
import type { AnyGenerator, BasicAuth, BearerToken, ExactlyOne, TrustedCertificates } from './common';

/** Gives the open pull requests of a repository. */
export type PullRequestGenerator = PullRequestOptions & {
  /** Tells the kinds of generators apart. */
  readonly kind: 'pullRequest';
};

/**
 * Whose pull requests are given; exactly one host. Who can open a pull request chooses the parameters, and what it deploys:
 * give it a project of its own, and never one that is made of a parameter.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Pull-Request/
 */
export type PullRequestOptions = PullRequestSearch & ExactlyOne<PullRequestHosts>;

/** What is asked of every host. */
export interface PullRequestSearch extends AnyGenerator {
  /** Conditions; a pull request that meets all of one filter's is given. @default - every pull request */
  readonly filters?: readonly PullRequestFilter[];
  /** Whether a repository that is not there gives no pull requests instead of an error. @default false */
  readonly continueOnRepoNotFoundError?: boolean;
  /** Seconds between two looks. @default 1800 - Argo CD's default */
  readonly requeueAfterSeconds?: number;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
}

/** Conditions on a pull request, at least one. Expressions are Go's regular expressions. */
export interface PullRequestFilter {
  /** Expression for the branch that it comes from. @default - any */
  readonly branchMatch?: string;
  /** Expression for the branch that it goes to. @default - any */
  readonly targetBranchMatch?: string;
  /** Expression for its title. @default - any */
  readonly titleMatch?: string;
}

const repository: Entries<OwnedRepository> = { owner: filledText, repo: filledText };

const logins: Entries<BitbucketLogin> = { basicAuth, bearerToken };

const api = optional(hostUrl);

const hosts = {
  github: optional(
    withKeys(
      'at most one',
      ['tokenRef', 'appSecretName'],
      object<PullRequestHosts['github']>({
        ...repository,
        labels: templatedTexts,
        api,
        tokenRef,
        appSecretName: optional(filledText),
      }),
    ),
  ),
  gitlab: optional(
    object<PullRequestHosts['gitlab']>({
      labels: templatedTexts,
      caRef,
      project: filledText,
      api,
      tokenRef,
      pullRequestState: optional(templated(oneOfWords('opened', 'closed', 'merged', 'locked'))),
    }),
  ),
  gitea: optional(
    object<PullRequestHosts['gitea']>({ ...repository, labels: templatedTexts, api: hostUrl, tokenRef }),
  ),
  bitbucket: optional(
    withKeys(
      'at most one',
      ['basicAuth', 'bearerToken'],
      object<PullRequestHosts['bitbucket']>({ ...repository, ...logins, api }),
    ),
  ),
  bitbucketServer: optional(
    withKeys(
      'at most one',
      ['basicAuth', 'bearerToken'],
      object<PullRequestHosts['bitbucketServer']>({
        caRef,
        ...logins,
        project: filledText,
        repo: filledText,
        api: hostUrl,
      }),
    ),
  ),
  azuredevops: optional(
    object<PullRequestHosts['azuredevops']>({
      labels: templatedTexts,
      organization: filledText,
      project: filledText,
      repo: filledText,
      api,
      tokenRef,
    }),
  ),
};

const hostNames = Object.keys(hosts) as (keyof PullRequestHosts)[];

const condition = optional(filledText);

export const pullRequestOptions: Schema<FieldsOf<PullRequestOptions>> = withKeys(
  'exactly one',
  hostNames,
  object<FieldsOf<PullRequestOptions>>({
    filters: optional(
      list(
        filterOf<PullRequestFilter>({
          branchMatch: condition,
          targetBranchMatch: condition,
          titleMatch: condition,
        }),
      ),
    ),
    continueOnRepoNotFoundError: templatedFlag,
    requeueAfterSeconds,
    values,
    ...anyGeneratorEntries,
    ...hosts,
  }),
);

/** The generator as it is in the manifest. */
export function pullRequestManifest(options: PullRequestOptions): Record<string, unknown> {
  return {
    ...Object.fromEntries(hostNames.map((name) => [name, options[name]])),
    filters: options.filters,
    continueOnRepoNotFoundError: options.continueOnRepoNotFoundError,
    requeueAfterSeconds: options.requeueAfterSeconds,
    values: options.values,
  };
}

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
      readonly tokenRef?: ArgoCdSecretKey;
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
      readonly tokenRef?: ArgoCdSecretKey;
      /** State of the merge requests. @default - any state; closed ones, too */
      readonly pullRequestState?: 'opened' | 'closed' | 'merged' | 'locked';
    };
  /** A repository on a Gitea server. */
  readonly gitea: LabelledPullRequests &
    OwnedRepository & {
      /** URL of the server. */
      readonly api: string;
      /** Where an access token is. @default - none: a public repository */
      readonly tokenRef?: ArgoCdSecretKey;
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
    readonly tokenRef?: ArgoCdSecretKey;
  };
}
