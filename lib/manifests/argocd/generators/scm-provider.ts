import { across, list, object, optional } from '../../../core/validation/collections';
import { oneOfWords } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import type { Entries, Schema } from '../../../core/validation/schema';
import { text } from '../../../core/validation/values';
import { withKeys } from '../../field-schemas';
import type { FieldsOf } from '../../field-schemas';
import { templated } from '../application-template';
import { clusterRoleArn } from '../argo-object';
import { secretKeySchema } from '../secrets';
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
  tokenRef,
  values,
} from './common';
import type { AnyGenerator, BasicAuth, BearerToken, ExactlyOne, TrustedCertificates } from './common';

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

const anyHost: Entries<AnyScmHost> = { allBranches: templatedFlag };

const api = optional(hostUrl);

const hosts = {
  github: optional(
    withKeys(
      'at most one',
      ['tokenRef', 'appSecretName'],
      object<ScmHosts['github']>({
        ...anyHost,
        organization: filledText,
        api,
        tokenRef,
        appSecretName: optional(filledText),
        excludeArchivedRepos: templatedFlag,
      }),
    ),
  ),
  gitlab: optional(
    object<ScmHosts['gitlab']>({
      ...anyHost,
      caRef,
      group: filledText,
      api,
      tokenRef,
      includeSubgroups: templatedFlag,
      includeSharedProjects: templatedFlag,
      includeArchivedRepos: templatedFlag,
      topic: optional(filledText),
    }),
  ),
  gitea: optional(
    object<ScmHosts['gitea']>({
      ...anyHost,
      owner: filledText,
      api: hostUrl,
      tokenRef,
      excludeArchivedRepos: templatedFlag,
    }),
  ),
  bitbucket: optional(
    object<ScmHosts['bitbucket']>({
      ...anyHost,
      owner: filledText,
      user: filledText,
      appPasswordRef: secretKeySchema('deployment or controller'),
    }),
  ),
  bitbucketServer: optional(
    withKeys(
      'at most one',
      ['basicAuth', 'bearerToken'],
      object<ScmHosts['bitbucketServer']>({
        ...anyHost,
        caRef,
        project: filledText,
        api: hostUrl,
        basicAuth,
        bearerToken,
      }),
    ),
  ),
  azureDevOps: optional(
    object<ScmHosts['azureDevOps']>({
      ...anyHost,
      organization: filledText,
      teamProject: filledText,
      accessTokenRef: secretKeySchema('deployment or controller'),
      api,
    }),
  ),
  awsCodeCommit: optional(
    object<ScmHosts['awsCodeCommit']>({
      ...anyHost,
      region: optional(filledText),
      role: optional(templated(clusterRoleArn)),
      tagFilters: optional(list(object({ key: text('a text'), value: optional(text('a text')) }))),
    }),
  ),
};

const hostNames = Object.keys(hosts) as (keyof ScmHosts)[];

/** The hosts whose repositories have no labels or topics in Argo CD. */
const withoutLabels = ['bitbucket', 'bitbucketServer', 'azureDevOps', 'awsCodeCommit'] as const;

const condition = optional(filledText);

const conditions = optional(list(filledText));

export const scmProviderOptions: Schema<FieldsOf<ScmProviderOptions>> = across(
  withKeys(
    'exactly one',
    hostNames,
    object<FieldsOf<ScmProviderOptions>>({
      filters: optional(
        list(
          filterOf<RepositoryFilter>({
            repositoryMatch: condition,
            pathsExist: conditions,
            pathsDoNotExist: conditions,
            labelMatch: condition,
            branchMatch: condition,
          }),
        ),
      ),
      cloneProtocol: optional(templated(oneOfWords('ssh', 'https', 'https-fips'))),
      requeueAfterSeconds,
      values,
      ...anyGeneratorEntries,
      ...hosts,
    }),
  ),
  (options, { mustBe }) => {
    if (options.cloneProtocol === 'https-fips' && options.awsCodeCommit === undefined) {
      mustBe(['cloneProtocol'], oneOfWords('ssh', 'https').allowed);
    }
    const host = withoutLabels.find((each) => options[each] !== undefined);
    const filters: readonly unknown[] = Array.isArray(options.filters) ? options.filters : [];
    filters.forEach((filter, position) => {
      if (host !== undefined && isPlainObject(filter) && filter.labelMatch !== undefined) {
        mustBe(
          ['filters', position, 'labelMatch'],
          `left out: Argo CD reads no labels from "${host}", so no repository would match and every Application would go`,
        );
      }
    });
  },
);

/** The generator as it is in the manifest. */
export function scmProviderManifest(options: ScmProviderOptions): Record<string, unknown> {
  return {
    ...Object.fromEntries(hostNames.map((name) => [name, options[name]])),
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
