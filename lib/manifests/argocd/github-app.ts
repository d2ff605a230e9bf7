import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { hasMarker } from '../../core/tokens';
import { list, object, optional } from '../../core/validation/collections';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { anything } from '../../core/validation/values';
import { refuseProps, repeatedIn } from '../field-schemas';
import type { ArgoObjectProps } from './argo-object';
import { Repository, RepositoryCredentials } from './repository';
import type { GitHubAppCredential, SecretText } from './repository-credential';

/** URLs by the list that they are in. */
export type GitHubUrls = Readonly<Record<string, readonly { readonly url: string }[]>>;

/**
 * Checks that URLs of repositories and the URL of the API are of one GitHub. What a deployment completes can't be evaluated.
 *
 * @param enterpriseUrl URL of the API. Default: that of github.com
 * @see https://docs.github.com/en/enterprise-server@3.17/rest/using-the-rest-api/getting-started-with-the-rest-api
 * @see https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency
 */
function checkGitHubHosts(problems: Problems, enterpriseUrl: string | undefined, urls: GitHubUrls): void {
  const api = enterpriseUrl ?? 'https://api.github.com';
  const own = hostOf(api);
  if (own === undefined) {
    return;
  }
  const host = own.startsWith('api.') ? own.slice('api.'.length) : own;
  if (!own.startsWith('api.') && !/\/api\/v3\/?$/.test(api)) {
    problems.addSecret(
      'enterpriseUrl',
      'the URL of the API, which ends with "/api/v3" at a GitHub Enterprise Server',
    );
  }
  for (const [list, entries] of Object.entries(urls)) {
    entries.forEach(({ url }, index) => {
      const at = hostOf(url);
      if (at !== undefined && at !== host) {
        problems.addSecret(
          `${list}[${index}].url`,
          enterpriseUrl === undefined
            ? `a URL at github.com, or "enterpriseUrl" the API of its host`
            : `a URL at ${host}, whose API "enterpriseUrl" is`,
        );
      }
    });
  }
}

/** Nothing where the URL is none, or not final: it is evaluated elsewhere. */
function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && !hasMarker(url) && URL.canParse(url) && /^https:/i.test(url)
    ? new URL(url).host.toLowerCase()
    : undefined;
}

/** Where the App is installed: an organisation or user, whose repositories it opens. */
export interface GitHubAppInstallation extends Pick<ArgoObjectProps, 'name' | 'labels' | 'annotations'> {
  /** `https://github.com/example`: what the URLs of the repositories begin with. */
  readonly url: string;
  /** Number of the installation, at the end of the URL of its settings. */
  readonly installationId: number | SecretText;
}

/** Is evaluated, and asked for, by the repository that gets it. */
const passedOn = optional(anything) as Schema as Schema<never>;

const installation: Entries<GitHubAppInstallation> = {
  url: passedOn,
  installationId: passedOn,
  name: passedOn,
  labels: optional(passedOn),
  annotations: optional(passedOn),
};

/** One repository that the App opens. */
export interface GitHubAppRepository extends GitHubAppInstallation {
  /** Project that alone may use the repository. @default - every project that allows its URL */
  readonly project?: string;
}

/** A GitHub App, where it is installed, and what it opens. */
export interface GitHubAppProps {
  /** Number of the App, on its page in the settings: neither its client ID nor an installation. */
  readonly appId: number | SecretText;
  /** One of the App's private keys, as GitHub gave it out. Plain text is refused. */
  readonly privateKey: SecretText;
  /**
   * URL of the API of another GitHub than github.com: `https://ghe.example.com/api/v3` of a GitHub Enterprise Server,
   * `https://api.example.ghe.com` of GitHub Enterprise Cloud with data residency.
   * @default - https://api.github.com
   */
  readonly enterpriseUrl?: string;
  /** Installations whose repositories all share the credential (`repo-creds`). @default - none */
  readonly installations?: readonly GitHubAppInstallation[];
  /** Single repositories (`repository`). @default - none */
  readonly repositories?: readonly GitHubAppRepository[];
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** How often values in a secret store are read again, a Go duration; `0` for once. @default - the operator's, an hour */
  readonly refreshInterval?: string;
}

const gitHubAppSchema = object<GitHubAppProps>({
  appId: passedOn,
  privateKey: passedOn,
  enterpriseUrl: optional(passedOn),
  installations: optional(list(object<GitHubAppInstallation>(installation))),
  repositories: optional(list(object<GitHubAppRepository>({ ...installation, project: optional(passedOn) }))),
  namespace: optional(passedOn),
  refreshInterval: optional(passedOn),
});

/**
 * The credential of a GitHub App for Argo CD: for all repositories of the organisations that it is installed in, for single
 * repositories, or both. The key is given once, from a Pulumi secret or from a secret store, and is never in plain state,
 * YAML or logs.
 *
 * The hosts of the URLs have to be those of the API, since Argo CD asks `enterpriseUrl` for a token, or else api.github.com,
 * wherever the repository is.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/private-repositories/#github-app-credential
 *
 * @example
 * new argocd.GitHubApp(chart, 'github', {
 *   appId: 123456,
 *   privateKey: { fromStore: { clusterSecretStore: 'aws', key: 'argocd/github', property: 'privateKey' } },
 *   installations: [{ name: 'github-example', url: 'https://github.com/example', installationId: 12345678 }],
 * });
 */
export class GitHubApp extends Construct {
  /** The Secrets, or the ExternalSecrets that make them: of the installations, then of the repositories. */
  public readonly apiObjects: readonly ApiObject[];

  /** @throws InvalidInput with everything that is wrong; no value that may be secret is in it */
  public constructor(scope: Construct, id: string, props: GitHubAppProps) {
    refuseProps(`GitHubApp "${id}"`, gitHubAppSchema, props);
    super(scope, id);
    const { installations = [], repositories = [], namespace, refreshInterval } = props;
    const problems = new Problems(`GitHubApp "${id}"`);
    if (installations.length + repositories.length === 0) {
      problems.add('installations', undefined, 'a list with at least one, or "repositories" is');
    }
    checkGitHubHosts(problems, props.enterpriseUrl, { installations, repositories });
    const names = [...installations, ...repositories].map(({ name }) => name);
    for (const position of repeatedIn(names)) {
      problems.add(`name[${position}]`, names[position], 'a name that the list does not hold already');
    }
    const shared = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(refreshInterval === undefined ? {} : { refreshInterval }),
    };
    const made = [
      ...installations.map(({ installationId, ...own }, index) =>
        collected(
          problems,
          `installations[${index}]`,
          () =>
            new RepositoryCredentials(this, `installation-${index}`, {
              ...own,
              ...shared,
              credential: credentialOf(props, installationId),
            }).apiObject,
        ),
      ),
      ...repositories.map(({ installationId, ...own }, index) =>
        collected(
          problems,
          `repositories[${index}]`,
          () =>
            new Repository(this, `repository-${index}`, {
              ...own,
              ...shared,
              credential: credentialOf(props, installationId),
            }).apiObject,
        ),
      ),
    ];
    if (problems.all.length > 0) {
      // Half of an App must not be left in the chart.
      this.node.children.forEach(({ node }) => this.node.tryRemoveChild(node.id));
    }
    problems.throwIfAny();
    this.apiObjects = made.filter((object) => object !== undefined);
  }
}

function credentialOf(
  { appId, privateKey, enterpriseUrl }: GitHubAppProps,
  installationId: number | SecretText,
): GitHubAppCredential {
  return {
    githubAppID: appId,
    githubAppInstallationID: installationId,
    // Left out by a program without types, it is a credential of this kind all the same.
    githubAppPrivateKey: privateKey ?? '',
    ...(enterpriseUrl === undefined ? {} : { githubAppEnterpriseBaseUrl: enterpriseUrl }),
  };
}

/** What is the App's own is told once, and by the name that it has here. */
const ownNames: readonly (readonly [RegExp, string])[] = [
  [/^credential\.githubAppID(?=\.|$)/, 'appId'],
  [/^credential\.githubAppPrivateKey(?=\.|$)/, 'privateKey'],
  [/^credential\.githubAppEnterpriseBaseUrl(?=\.|$)/, 'enterpriseUrl'],
  [/^(?=(?:namespace|refreshInterval)$)/, ''],
];

function collected(problems: Problems, path: string, make: () => ApiObject): ApiObject | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    for (const problem of error.problems.map((each) => renamed(each, path))) {
      if (!problems.all.some((each) => each.path === problem.path && each.allowed === problem.allowed)) {
        problems.addAll([problem]);
      }
    }
    return undefined;
  }
}

function renamed(problem: Problem, path: string): Problem {
  const own = ownNames.find(([expression]) => expression.test(problem.path));
  return {
    ...problem,
    path: own
      ? problem.path.replace(own[0], own[1])
      : `${path}.${problem.path.replace(/^credential\.githubAppInstallationID/, 'installationId')}`,
    allowed: problem.allowed
      .replaceAll('credential.githubAppInstallationID', `${path}.installationId`)
      .replaceAll('credential.githubAppPrivateKey', 'privateKey')
      .replaceAll('credential.githubAppID', 'appId'),
  };
}
