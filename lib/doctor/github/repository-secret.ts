import type { KubernetesObject } from '../../kubernetes';

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
  /** URL as it stands there, empty where there is none. */
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
