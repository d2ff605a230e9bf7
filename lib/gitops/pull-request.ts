import type { OptionsOf } from '../problems';
import { oneOf, someText, wholeNumber, listOf } from '../problems';
import type { FieldChecks } from './field-checks';
import type { AnyGenerator } from './any-generator';
import { anyGeneratorKeys } from './any-generator';
import { checkValues } from './generator-values';
import type { ExactlyOne, ProviderFields } from './provider-fields';
import { checkOneLogin, checkProvider, required, basicAuthKeys, bearerTokenKeys } from './provider-fields';
import type { PullRequestHosts } from './pull-request-hosts';
import { configMapKeyKeys, secretKeyKeys } from './secret-key';

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

/** Parameters that the generator gives. */
export const pullRequestParameters: readonly string[] = [
  'number',
  'title',
  'branch',
  'branch_slug',
  'target_branch',
  'target_branch_slug',
  'head_sha',
  'head_short_sha',
  'head_short_sha_7',
  'labels',
  'author',
];

/** Checks whose pull requests are given, and which. */
export function checkPullRequest(checks: FieldChecks, path: string, options: PullRequestOptions): void {
  const names = Object.keys(hosts) as (keyof PullRequestHosts)[];
  checks.exactlyOne(path, options, names);
  for (const name of names.filter((each) => options[each] !== undefined)) {
    checkProvider(checks, `${path}.${name}`, options[name], hosts[name]);
  }
  checkOneLogin(checks, `${path}.github`, options.github, ['tokenRef', 'appSecretName']);
  checkOneLogin(checks, `${path}.bitbucket`, options.bitbucket, ['basicAuth', 'bearerToken']);
  checkOneLogin(checks, `${path}.bitbucketServer`, options.bitbucketServer, ['basicAuth', 'bearerToken']);
  options.filters?.forEach((filter, position) => {
    const at = `${path}.filters[${position}]`;
    if (conditions.every((condition) => filter[condition] === undefined)) {
      checks.problems.add(
        at,
        filter,
        `an object with one of ${conditions.map((each) => `"${each}"`).join(', ')}`,
      );
    }
    for (const condition of conditions) {
      checks.optional(`${at}.${condition}`, filter[condition], someText);
    }
  });
  checks.optional(
    `${path}.requeueAfterSeconds`,
    options.requeueAfterSeconds,
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
  );
  checkValues(checks, `${path}.values`, options.values);
}

/** The generator as it stands in the manifest. */
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
