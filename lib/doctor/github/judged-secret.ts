import type { Finding } from '../finding';
import type { AppCredential } from './app-credential';
import { appCredential, identityOf } from './app-credential';
import { appFieldProblems } from './app-fields';
import { keyProblem } from './key-faults';
import { readAppKey } from './private-key';
import { comparableUrl, repositoryAddress } from './repository-address';
import type { RepositorySecret } from './repository-secret';
import { hasCredential, mentionsApp } from './repository-secret';

/** A Secret with a GitHub App, and what is wrong with its fields. */
export interface JudgedSecret {
  readonly secret: RepositorySecret;
  /** @default - its fields are not good enough to ask with */
  readonly credential?: AppCredential;
  readonly findings: readonly Finding[];
}

/** Judges the fields of a Secret, its key among them. */
export function judgedSecret(secret: RepositorySecret): JudgedSecret {
  const problems = appFieldProblems(secret);
  const { githubAppPrivateKey = '' } = secret.fields;
  // A key that is not there is told of among the fields.
  const key = githubAppPrivateKey === '' ? undefined : readAppKey(githubAppPrivateKey);
  if (key && 'fault' in key) {
    problems.push(keyProblem(key.fault));
  }
  const findings = problems.map(({ final: _final, ...problem }) => ({
    ...problem,
    likelihood: 'certain' as const,
    subject: `Secret ${secret.name}`,
    names: namesOf(secret),
  }));
  const usable = key && !('fault' in key) && !problems.some(({ final }) => final);
  return { secret, findings, ...(usable ? { credential: appCredential(secret, key) } : {}) };
}

/** Under which names others speak of what a Secret opens: `github.com/acme/config`, a number of an installation. */
function namesOf({ url, fields }: RepositorySecret): readonly string[] {
  const { host, owner, repository } = repositoryAddress(url) ?? {};
  const { githubAppInstallationID: installation = '' } = fields;
  const path = [owner, repository].filter((part) => part !== undefined);
  const isPath = path.length > 0 && path.every((part) => inPath.test(part));
  return [
    ...(host !== undefined && isPath ? [[host, ...path].join('/')] : []),
    ...(/^\d{1,18}$/.test(installation) ? [installation] : []),
  ];
}

/** One credential and the Secrets that hold it: it is asked with once. */
export interface SharedCredential {
  readonly credential: AppCredential;
  /** Names of the Secrets. */
  readonly secrets: readonly string[];
  /** Under which names others speak of what it opens. */
  readonly names: readonly string[];
  /** Organisation or user of the first Secret's URL. */
  readonly owner?: string;
  /** Repositories that are read with it, as `OWNER/REPOSITORY`, at most {@link mostRepositories}. */
  readonly repositories: readonly string[];
}

const mostNames = 100;

/** Each repository is a call. */
const mostRepositories = 10;

/**
 * The credentials to ask with, each once for each organisation.
 *
 * @param all every repository Secret: those without a credential take that of the template with the longest fitting URL
 */
export function sharedCredentials(
  judged: readonly JudgedSecret[],
  all: readonly RepositorySecret[],
): readonly SharedCredential[] {
  const groups = new Map<string, { first: JudgedSecret; secrets: RepositorySecret[]; urls: string[] }>();
  for (const each of judged) {
    const { credential, secret } = each;
    if (!credential) {
      continue;
    }
    const owner = repositoryAddress(secret.url)?.owner?.toLowerCase() ?? '';
    const key = `${owner} ${identityOf(credential)}`;
    const group = groups.get(key) ?? { first: each, secrets: [], urls: [] };
    group.secrets.push(secret);
    group.urls.push(...(secret.template ? urlsBelow(secret, all) : [secret.url]));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ first, secrets, urls }) => {
    const owner = repositoryAddress(first.secret.url)?.owner;
    const paths = urls.flatMap((url) => {
      const { owner: of, repository } = repositoryAddress(url) ?? {};
      return of !== undefined && repository !== undefined && inPath.test(of) && inPath.test(repository)
        ? [`${of}/${repository}`]
        : [];
    });
    return {
      credential: first.credential!,
      secrets: secrets.map(({ name }) => name),
      names: [...new Set(secrets.flatMap(namesOf))].slice(0, mostNames),
      ...(owner === undefined ? {} : { owner }),
      repositories: [...new Set(paths)].slice(0, mostRepositories),
    };
  });
}

/** Names of owners and repositories at GitHub. */
const inPath = /^[\w.-]+$/;

function urlsBelow(template: RepositorySecret, all: readonly RepositorySecret[]): string[] {
  const templates = all.filter((each) => each.template && each.writes === template.writes && each.url !== '');
  return all
    .filter((each) => !each.template && each.writes === template.writes && !hasCredential(each))
    .filter(({ url }) => longestFit(url, templates) === template)
    .map(({ url }) => url);
}

function longestFit(url: string, templates: readonly RepositorySecret[]): RepositorySecret | undefined {
  return templates
    .filter((each) => comparableUrl(url).startsWith(comparableUrl(each.url)))
    .reduce<RepositorySecret | undefined>(
      (best, each) =>
        best && comparableUrl(best.url).length >= comparableUrl(each.url).length ? best : each,
      undefined,
    );
}

/** The Secrets that have anything of a GitHub App. */
export function withApp(all: readonly RepositorySecret[]): readonly RepositorySecret[] {
  return all.filter(mentionsApp);
}
