import { sign } from 'node:crypto';
import { redactedUrl } from '../../../core/redaction';
import type { DoctorFinding } from '../check';
import { appFieldProblems, isTruthValue, keyProblem } from './fields';
import { readAppKey } from './private-key';
import type { AppKey } from './private-key';
import { comparableUrl, hasCredential, mentionsApp, repositoryAddress } from './repository';
import type { RepositorySecret } from './repository';

/** How Argo CD logs in with a GitHub App, and by which way. */
export interface AppCredential {
  /** Digits. */
  readonly appId: string;
  /** Digits. @default - Argo CD looks for the installation in the organisation of the URL */
  readonly installationId?: string;
  readonly key: AppKey;
  /** URL of the API, without a slash at its end. */
  readonly api: string;
  /** Whether any certificate of the server will do. */
  readonly insecure: boolean;
  /** Proxy of the Secret; it may hold a password. @default - the environment's */
  readonly proxy?: string;
  /** Hosts that are reached without that proxy. */
  readonly noProxy?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** API of github.com. */
const publicApi = 'https://api.github.com';

/**
 * The credential of a Secret whose fields were checked. Argo CD asks at the Enterprise URL as it is there, or else at
 * api.github.com, whatever the repository's URL is.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/git/creds.go
 */
function appCredential({ fields }: RepositorySecret, key: AppKey): AppCredential {
  const { githubAppID = '', githubAppInstallationID, githubAppEnterpriseBaseUrl, proxy, noProxy } = fields;
  const { tlsClientCertData, tlsClientCertKey } = fields;
  const installation = Number(githubAppInstallationID ?? 0);
  return {
    appId: String(BigInt(githubAppID)),
    ...(installation === 0 ? {} : { installationId: String(BigInt(githubAppInstallationID!)) }),
    key,
    api: (githubAppEnterpriseBaseUrl || publicApi).replace(/(?<!\/)\/+$/, ''),
    insecure: isTruthValue(fields.insecure),
    ...(proxy ? { proxy } : {}),
    ...(proxy && noProxy ? { noProxy } : {}),
    ...(tlsClientCertData && tlsClientCertKey
      ? { clientCertificate: tlsClientCertData, clientKey: tlsClientCertKey }
      : {}),
  };
}

/** What tells two credentials apart, without their secrets. Whether a write Secret has them makes no difference. */
function identityOf(credential: AppCredential): string {
  const {
    appId,
    installationId = '',
    key,
    api,
    insecure,
    proxy = '',
    noProxy = '',
    clientCertificate = '',
  } = credential;
  return JSON.stringify([
    appId,
    installationId,
    key.fingerprint,
    api,
    insecure,
    proxy,
    noProxy,
    clientCertificate,
  ]);
}

/** `App 12, installation 34, at https://api.github.com` */
export function describeCredential({ appId, installationId, api }: AppCredential): string {
  return `App ${appId}, installation ${installationId ?? 'of the organisation'}, at ${redactedUrl(api)}`;
}

/** A Secret with a GitHub App, and what is wrong with its fields. */
export interface EvaluatedSecret {
  readonly secret: RepositorySecret;
  /** @default - its fields are not good enough to ask with */
  readonly credential?: AppCredential;
  readonly findings: readonly DoctorFinding[];
}

/** Checks the fields of a Secret, its key among them. */
export function evaluatedSecret(secret: RepositorySecret): EvaluatedSecret {
  const problems = appFieldProblems(secret);
  const { githubAppPrivateKey = '' } = secret.fields;
  // A key that is not there is reported among the fields.
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
  evaluated: readonly EvaluatedSecret[],
  all: readonly RepositorySecret[],
): readonly SharedCredential[] {
  const groups = new Map<string, { first: EvaluatedSecret; secrets: RepositorySecret[]; urls: string[] }>();
  for (const each of evaluated) {
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

/**
 * When the token of an App begins and ends, in seconds from the clock of who makes it: Argo CD's library sets `iat` half a
 * minute back and `exp` two minutes after that.
 *
 * @see https://github.com/bradleyfalzon/ghinstallation/blob/v2.17.0/appsTransport.go
 */
export const appTokenTimes = { issued: -30, expires: 90 } as const;

/**
 * Token (JWT, RS256) with which a GitHub App asks, as Argo CD makes it. It is a secret while it lasts.
 *
 * @param now the clock of who makes it
 * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
export function appToken(appId: string, { key }: AppKey, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const claims = {
    iat: seconds + appTokenTimes.issued,
    exp: seconds + appTokenTimes.expires,
    iss: appId,
  };
  const content = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
