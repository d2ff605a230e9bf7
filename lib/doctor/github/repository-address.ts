/** Where a repository, or a set of them, is at GitHub. */
export interface RepositoryAddress {
  readonly host: string;
  /** Organisation or user. */
  readonly owner?: string;
  readonly repository?: string;
}

/**
 * Reads the URL of a repository or of a credential template, over HTTPS or SSH. Whatever else stands there may be something
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
