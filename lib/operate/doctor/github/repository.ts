import type { KubernetesObject } from '../../../core/kubernetes/api';

/**
 * Values of the label `argocd.argoproj.io/secret-type` on Secrets that Argo CD logs in to repositories with.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/common/common.go
 */
const repositorySecretTypes = ['repository', 'repo-creds', 'repository-write', 'repo-write-creds'] as const;

const typeLabel = 'argocd.argoproj.io/secret-type';

/** Selects these Secrets. */
export const repositorySecretSelector = `${typeLabel} in (${repositorySecretTypes.join(',')})`;

/** A repository's, or a credential template's, Secret, with its values as Argo CD reads them. */
export interface RepositorySecret {
  /** `argocd/github` */
  readonly name: string;
  /** Whether it is for one repository, or for all whose URL begins like its own. */
  readonly template: boolean;
  /** Whether it is for the writing half of Argo CD, the hydrator. */
  readonly writes: boolean;
  /** URL as it is there, empty where there is none. */
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Reads a Secret of the API server. */
export function repositorySecret(object: KubernetesObject): RepositorySecret {
  const { name, namespace = '', labels = {} } = object.metadata;
  const type = labels[typeLabel] ?? '';
  const data = (object.data ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString('utf8')]),
  );
  return {
    name: `${namespace}/${name}`,
    template: type.endsWith('creds'),
    writes: type.includes('write'),
    url: fields.url ?? '',
    fields,
  };
}

/** Whether a Secret has anything of a GitHub App, in whatever spelling. */
export function mentionsApp({ fields }: RepositorySecret): boolean {
  return Object.keys(fields).some((key) => /^githubapp/i.test(key));
}

/** Whether a Secret has a credential of its own; else a template whose URL begins its URL gives it. */
export function hasCredential({ fields }: RepositorySecret): boolean {
  return ['username', 'password', 'bearerToken', 'sshPrivateKey', 'githubAppPrivateKey'].some(
    (key) => fields[key],
  );
}

/** Where a repository, or a set of them, is at GitHub. */
export interface RepositoryAddress {
  readonly host: string;
  /** Organisation or user. */
  readonly owner?: string;
  readonly repository?: string;
}

/**
 * Reads the URL of a repository or of a credential template, over HTTPS or SSH. Whatever else is there may be something
 * secret in the wrong field.
 */
export function repositoryAddress(url: string): RepositoryAddress | undefined {
  const found = withScheme.exec(url.trim()) ?? asScp.exec(url.trim());
  const [, host, path = ''] = found ?? [];
  if (host === undefined) {
    return undefined;
  }
  const [owner, repository] = path.split('/').filter(Boolean);
  return {
    host: host.toLowerCase(),
    ...(owner === undefined ? {} : { owner }),
    ...(repository === undefined ? {} : { repository: repository.replace(/\.git$/i, '') }),
  };
}

const withScheme = /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([\w.-]+)(?::\d+)?(?:\/([^\s?#]*))?$/i;

/** `git@github.com:acme/config.git` */
const asScp = /^git@([\w.-]+):([^\s?#]*)$/i;

/** The URL as Argo CD compares it: in small letters, without `.git` at its end. */
export function comparableUrl(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/\.git$/, '');
}

/** An organisation or user as GitHub compares them. */
export function comparableOwner(owner: string): string {
  return owner.toLowerCase();
}
