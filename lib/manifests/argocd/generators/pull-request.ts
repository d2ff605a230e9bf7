import type { FieldChecks } from '../../../core/validation/fields';
import { oneOf, nonEmptyText } from '../../../core/validation/formats';
import { listOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { configMapKeyKeys, secretKeyKeys } from '../secrets';
import type { ArgoCdSecretKey } from '../secrets';
import {
  anyGeneratorKeys,
  basicAuthKeys,
  bearerTokenKeys,
  checkHasCondition,
  checkHosts,
  checkOneLogin,
  checkSearch,
  required,
} from './common';
import type {
  AnyGenerator,
  BasicAuth,
  BearerToken,
  ExactlyOne,
  ProviderFields,
  TrustedCertificates,
} from './common';

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

const pullRequestFilterKeys: OptionsOf<PullRequestFilter> = {
  branchMatch: 'plain',
  targetBranchMatch: 'plain',
  titleMatch: 'plain',
};

export const pullRequestOptionsKeys: OptionsOf<PullRequestOptions> = {
  filters: listOf(pullRequestFilterKeys),
  continueOnRepoNotFoundError: 'plain',
  requeueAfterSeconds: 'plain',
  values: 'plain',
  ...anyGeneratorKeys,
  github: {
    labels: 'list',
    owner: 'plain',
    repo: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
    appSecretName: 'plain',
  },
  gitlab: {
    labels: 'list',
    caRef: configMapKeyKeys,
    project: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
    pullRequestState: 'plain',
  },
  gitea: { labels: 'list', owner: 'plain', repo: 'plain', api: 'plain', tokenRef: secretKeyKeys },
  bitbucket: {
    owner: 'plain',
    repo: 'plain',
    basicAuth: basicAuthKeys,
    bearerToken: bearerTokenKeys,
    api: 'plain',
  },
  bitbucketServer: {
    caRef: configMapKeyKeys,
    basicAuth: basicAuthKeys,
    bearerToken: bearerTokenKeys,
    project: 'plain',
    repo: 'plain',
    api: 'plain',
  },
  azuredevops: {
    labels: 'list',
    organization: 'plain',
    project: 'plain',
    repo: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
  },
};

const repository = { owner: required('text'), repo: required('text') } as const;

const logins = { basicAuth: 'basic', bearerToken: 'bearer' } as const;

const hosts: Readonly<Record<keyof PullRequestHosts, ProviderFields>> = {
  github: { ...repository, api: 'url', tokenRef: 'secret', appSecretName: 'text', labels: 'texts' },
  gitlab: {
    project: required('text'),
    api: 'url',
    tokenRef: 'secret',
    caRef: 'configMap',
    labels: 'texts',
    pullRequestState: oneOf('opened', 'closed', 'merged', 'locked'),
  },
  gitea: { ...repository, api: required('url'), tokenRef: 'secret', labels: 'texts' },
  bitbucket: { ...repository, api: 'url', ...logins },
  bitbucketServer: {
    project: required('text'),
    repo: required('text'),
    api: required('url'),
    caRef: 'configMap',
    ...logins,
  },
  azuredevops: {
    organization: required('text'),
    project: required('text'),
    repo: required('text'),
    api: 'url',
    tokenRef: 'secret',
    labels: 'texts',
  },
};

const conditions = ['branchMatch', 'targetBranchMatch', 'titleMatch'] as const;

/** Checks whose pull requests are given, and which. */
export function checkPullRequest(checks: FieldChecks, path: string, options: PullRequestOptions): void {
  checkHosts(checks, path, options, hosts);
  checkOneLogin(checks, `${path}.github`, options.github, ['tokenRef', 'appSecretName']);
  checkOneLogin(checks, `${path}.bitbucket`, options.bitbucket, ['basicAuth', 'bearerToken']);
  checkOneLogin(checks, `${path}.bitbucketServer`, options.bitbucketServer, ['basicAuth', 'bearerToken']);
  options.filters?.forEach((filter, position) => {
    const at = `${path}.filters[${position}]`;
    checkHasCondition(checks, at, filter, conditions);
    for (const condition of conditions) {
      checks.optional(`${at}.${condition}`, filter[condition], nonEmptyText);
    }
  });
  checkSearch(checks, path, options);
}

/** The generator as it is in the manifest. */
export function pullRequestManifest(options: PullRequestOptions): Record<string, unknown> {
  const names = Object.keys(hosts) as (keyof PullRequestHosts)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, options[name]])),
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
