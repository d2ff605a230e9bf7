import { holdsLogin, someText } from '../problems';
import type { FieldChecks } from './field-checks';

/**
 * Checks a repository's URL: that it is there and holds no credential. A user name in an HTTPS URL counts as
 * one, because access tokens are given that way. The value of a refused URL is not shown.
 */
export function checkRepositoryUrl(checks: FieldChecks, path: string, url: string | undefined): void {
  if (holdsCredential(url)) {
    checks.problems.addSecret(
      path,
      'a URL without user name, password and token: credentials belong into a repository Secret',
    );
  } else {
    checks.required(path, url, someText);
    if (typeof url === 'string' && !checks.isOpen(url) && /\S\s+\S/.test(url)) {
      checks.problems.addSecret(path, 'a URL without spaces');
    }
  }
}

/** Whether the URL brings user information that may be secret, any over HTTP, a password elsewhere; or a secret in its query. */
export function holdsCredential(url: unknown): boolean {
  if (typeof url !== 'string') {
    return false;
  }
  // A host without a scheme may have a user before it, as in git@host:path.
  const [, scheme = '', user = ''] = /^!?(?:([a-z][a-z0-9+.-]*):\/\/)?([^/\s]*)@/i.exec(url) ?? [];
  return (/^https?$/i.test(scheme) ? user !== '' : user.includes(':')) || holdsLogin(url);
}

/**
 * Whether Argo CD reads the URL as one for SSH.
 * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/util/git/git.go
 */
export function isSshUrl(url: string): boolean {
  return /^(ssh:\/\/)?[^/:]*@[^@]+$/.test(url);
}
