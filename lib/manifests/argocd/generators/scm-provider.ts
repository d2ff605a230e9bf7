import type { FieldChecks } from '../../../core/validation/fields';
import { oneOf, nonEmptyText } from '../../../core/validation/formats';
import { listOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { iamRoleArn } from '../argo-object';
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

/** Gives the repositories of an organization. */
export type ScmProviderGenerator = ScmProviderOptions & {
  /** Tells the kinds of generators apart. */
  readonly kind: 'scmProvider';
};

/**
 * Which repositories are looked for, and where; exactly one host. Who can make a repository or a branch there chooses the
 * parameters, so the template's project should not be made of one.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-SCM-Provider/
 */
export type ScmProviderOptions = ScmProviderSearch & ExactlyOne<ScmHosts>;

/** What is asked of every host. */
export interface ScmProviderSearch extends AnyGenerator {
  /** Conditions; a repository that meets all of one filter's is given. @default - every repository */
  readonly filters?: readonly RepositoryFilter[];
  /** How the parameter `url` reads; `https-fips` is CodeCommit's alone. @default - SSH where the host offers it */
  readonly cloneProtocol?: 'ssh' | 'https' | 'https-fips';
  /** Seconds between two looks. @default 1800 - Argo CD's default */
  readonly requeueAfterSeconds?: number;
  /** Further parameters, `.values.NAME`. @default - none */
  readonly values?: Readonly<Record<string, string>>;
}

/** Conditions on a repository, at least one. Expressions are Go's regular expressions. */
export interface RepositoryFilter {
  /** Expression for its name. @default - any */
  readonly repositoryMatch?: string;
  /** Files or directories that must be there. @default - none */
  readonly pathsExist?: readonly string[];
  /** Files or directories that must not be there. @default - none */
  readonly pathsDoNotExist?: readonly string[];
  /** Expression for one of its labels or topics; GitHub, GitLab and Gitea only. @default - any */
  readonly labelMatch?: string;
  /** Expression for a branch. @default - any */
  readonly branchMatch?: string;
}

const repositoryFilterKeys: OptionsOf<RepositoryFilter> = {
  repositoryMatch: 'plain',
  pathsExist: 'list',
  pathsDoNotExist: 'list',
  labelMatch: 'plain',
  branchMatch: 'plain',
};

export const scmProviderOptionsKeys: OptionsOf<ScmProviderOptions> = {
  filters: listOf(repositoryFilterKeys),
  cloneProtocol: 'plain',
  requeueAfterSeconds: 'plain',
  values: 'plain',
  ...anyGeneratorKeys,
  github: {
    allBranches: 'plain',
    organization: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
    appSecretName: 'plain',
    excludeArchivedRepos: 'plain',
  },
  gitlab: {
    allBranches: 'plain',
    caRef: configMapKeyKeys,
    group: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
    includeSubgroups: 'plain',
    includeSharedProjects: 'plain',
    includeArchivedRepos: 'plain',
    topic: 'plain',
  },
  gitea: {
    allBranches: 'plain',
    owner: 'plain',
    api: 'plain',
    tokenRef: secretKeyKeys,
    excludeArchivedRepos: 'plain',
  },
  bitbucket: { allBranches: 'plain', owner: 'plain', user: 'plain', appPasswordRef: secretKeyKeys },
  bitbucketServer: {
    allBranches: 'plain',
    caRef: configMapKeyKeys,
    project: 'plain',
    api: 'plain',
    basicAuth: basicAuthKeys,
    bearerToken: bearerTokenKeys,
  },
  azureDevOps: {
    allBranches: 'plain',
    organization: 'plain',
    teamProject: 'plain',
    accessTokenRef: secretKeyKeys,
    api: 'plain',
  },
  awsCodeCommit: {
    allBranches: 'plain',
    region: 'plain',
    role: 'plain',
    tagFilters: listOf({ key: 'plain', value: 'plain' }),
  },
};

const tagFilters = {
  allowed: 'a list of objects with a "key", and a "value" if wanted',
  accepts: (value: unknown) =>
    Array.isArray(value) &&
    value.every((each) => typeof (each as { key?: unknown } | null)?.key === 'string'),
};

const hosts: Readonly<Record<keyof ScmHosts, ProviderFields>> = {
  github: {
    organization: required('text'),
    api: 'url',
    tokenRef: 'secret',
    appSecretName: 'text',
    allBranches: 'flag',
    excludeArchivedRepos: 'flag',
  },
  gitlab: {
    group: required('text'),
    api: 'url',
    tokenRef: 'secret',
    caRef: 'configMap',
    allBranches: 'flag',
    includeSubgroups: 'flag',
    includeSharedProjects: 'flag',
    includeArchivedRepos: 'flag',
    topic: 'text',
  },
  gitea: {
    owner: required('text'),
    api: required('url'),
    tokenRef: 'secret',
    allBranches: 'flag',
    excludeArchivedRepos: 'flag',
  },
  bitbucket: {
    owner: required('text'),
    user: required('text'),
    appPasswordRef: required('secret'),
    allBranches: 'flag',
  },
  bitbucketServer: {
    project: required('text'),
    api: required('url'),
    basicAuth: 'basic',
    bearerToken: 'bearer',
    caRef: 'configMap',
    allBranches: 'flag',
  },
  azureDevOps: {
    organization: required('text'),
    teamProject: required('text'),
    accessTokenRef: required('secret'),
    api: 'url',
    allBranches: 'flag',
  },
  awsCodeCommit: { region: 'text', role: iamRoleArn, tagFilters, allBranches: 'flag' },
};

/** The hosts whose repositories have no labels or topics in Argo CD. */
const withoutLabels: readonly string[] = ['bitbucket', 'bitbucketServer', 'azureDevOps', 'awsCodeCommit'];

const conditions = ['repositoryMatch', 'pathsExist', 'pathsDoNotExist', 'labelMatch', 'branchMatch'] as const;

/** Checks where repositories are looked for, and which. */
export function checkScmProvider(checks: FieldChecks, path: string, options: ScmProviderOptions): void {
  const given = checkHosts(checks, path, options, hosts);
  checkOneLogin(checks, `${path}.github`, options.github, ['tokenRef', 'appSecretName']);
  checkOneLogin(checks, `${path}.bitbucketServer`, options.bitbucketServer, ['basicAuth', 'bearerToken']);
  const protocols = options.awsCodeCommit ? ['ssh', 'https', 'https-fips'] : ['ssh', 'https'];
  checks.optional(`${path}.cloneProtocol`, options.cloneProtocol, oneOf(...protocols));
  options.filters?.forEach((filter, position) => {
    checkFilter(checks, `${path}.filters[${position}]`, filter, given);
  });
  checkSearch(checks, path, options);
}

function checkFilter(
  checks: FieldChecks,
  path: string,
  filter: RepositoryFilter,
  given: readonly string[],
): void {
  checkHasCondition(checks, path, filter, conditions);
  for (const condition of ['repositoryMatch', 'labelMatch', 'branchMatch'] as const) {
    checks.optional(`${path}.${condition}`, filter[condition], nonEmptyText);
  }
  checks.each(`${path}.pathsExist`, filter.pathsExist, nonEmptyText);
  checks.each(`${path}.pathsDoNotExist`, filter.pathsDoNotExist, nonEmptyText);
  const [host] = given;
  if (filter.labelMatch !== undefined && host !== undefined && withoutLabels.includes(host)) {
    checks.problems.add(
      `${path}.labelMatch`,
      filter.labelMatch,
      `left out: Argo CD reads no labels from "${host}", so no repository would match and every Application would go`,
    );
  }
}

/** The generator as it is in the manifest. */
export function scmProviderManifest(options: ScmProviderOptions): Record<string, unknown> {
  const names = Object.keys(hosts) as (keyof ScmHosts)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, options[name]])),
    filters: options.filters,
    cloneProtocol: options.cloneProtocol,
    requeueAfterSeconds: options.requeueAfterSeconds,
    values: options.values,
  };
}

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
    readonly tokenRef?: ArgoCdSecretKey;
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
      readonly tokenRef?: ArgoCdSecretKey;
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
    readonly tokenRef?: ArgoCdSecretKey;
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
    readonly appPasswordRef: ArgoCdSecretKey;
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
    readonly accessTokenRef: ArgoCdSecretKey;
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
