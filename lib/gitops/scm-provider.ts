import type { OptionsOf } from '../problems';
import { oneOf, someText, wholeNumber, listOf } from '../problems';
import { iamRoleArn } from './argo-rules';
import type { FieldChecks } from './field-checks';
import type { AnyGenerator } from './any-generator';
import { anyGeneratorKeys } from './any-generator';
import { checkValues } from './generator-values';
import type { ExactlyOne, ProviderFields } from './provider-fields';
import { checkOneLogin, checkProvider, required, basicAuthKeys, bearerTokenKeys } from './provider-fields';
import type { ScmHosts } from './scm-hosts';
import { configMapKeyKeys, secretKeyKeys } from './secret-key';

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

/** Parameters that the generator gives. */
export const scmProviderParameters: readonly string[] = [
  'organization',
  'repository',
  'repository_id',
  'url',
  'branch',
  'branchNormalized',
  'sha',
  'short_sha',
  'short_sha_7',
  'labels',
];

/** Checks where repositories are looked for, and which. */
export function checkScmProvider(checks: FieldChecks, path: string, options: ScmProviderOptions): void {
  const names = Object.keys(hosts) as (keyof ScmHosts)[];
  checks.exactlyOne(path, options, names);
  const given = names.filter((name) => options[name] !== undefined);
  for (const name of given) {
    checkProvider(checks, `${path}.${name}`, options[name], hosts[name]);
  }
  checkOneLogin(checks, `${path}.github`, options.github, ['tokenRef', 'appSecretName']);
  checkOneLogin(checks, `${path}.bitbucketServer`, options.bitbucketServer, ['basicAuth', 'bearerToken']);
  const protocols = options.awsCodeCommit ? ['ssh', 'https', 'https-fips'] : ['ssh', 'https'];
  checks.optional(`${path}.cloneProtocol`, options.cloneProtocol, oneOf(...protocols));
  options.filters?.forEach((filter, position) => {
    checkFilter(checks, `${path}.filters[${position}]`, filter, given);
  });
  checks.optional(
    `${path}.requeueAfterSeconds`,
    options.requeueAfterSeconds,
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
  );
  checkValues(checks, `${path}.values`, options.values);
}

function checkFilter(
  checks: FieldChecks,
  path: string,
  filter: RepositoryFilter,
  given: readonly string[],
): void {
  if (conditions.every((condition) => filter[condition] === undefined)) {
    checks.problems.add(
      path,
      filter,
      `an object with one of ${conditions.map((each) => `"${each}"`).join(', ')}`,
    );
  }
  for (const condition of ['repositoryMatch', 'labelMatch', 'branchMatch'] as const) {
    checks.optional(`${path}.${condition}`, filter[condition], someText);
  }
  checks.each(`${path}.pathsExist`, filter.pathsExist, someText);
  checks.each(`${path}.pathsDoNotExist`, filter.pathsDoNotExist, someText);
  const [host] = given;
  if (filter.labelMatch !== undefined && host !== undefined && withoutLabels.includes(host)) {
    checks.problems.add(
      `${path}.labelMatch`,
      filter.labelMatch,
      `left out: Argo CD reads no labels from "${host}", so no repository would match and every Application would go`,
    );
  }
}

/** The generator as it stands in the manifest. */
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
