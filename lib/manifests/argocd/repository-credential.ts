import { markerNumber } from '../../core/tokens';
import type { FieldChecks } from '../../core/validation/fields';
import { nonEmptyText } from '../../core/validation/formats';
import { textOr } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Format } from '../../core/validation/problems';
import { holdsLogin } from '../../core/validation/secrets';
import { httpsUrl, identifier } from './argo-object';
import { checkExternalValue, externalValueKeys, isExternal, storeOf } from './secrets';
import type { ExternalValue } from './secrets';

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
    checks.required(path, url, nonEmptyText);
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

/**
 * What Argo CD logs in to a repository with. A secret field takes nothing but a token of a deployment's output
 * (`bridge.outputToken` of a Pulumi secret), or where the value is in a secret store: plain text would end up in Git or,
 * readable, in a state file.
 *
 * Where one value comes from a store, the secret one has to, from the same store, and an ExternalSecret makes the Secret.
 */
export type RepositoryCredential =
  | PasswordCredential
  | BearerCredential
  | SshCredential
  | GitHubAppCredential;

/** A secret text: a token of a deployment's output, or where it is in a secret store. */
export type SecretText = string | ExternalValue;

/** User name and password or access token, over HTTPS. */
export interface PasswordCredential {
  /** User name. Where the service only reads the token, any text. */
  readonly username: SecretText;
  /** Password or access token. */
  readonly password: SecretText;
}

/** A bearer token, over HTTPS. */
export interface BearerCredential {
  /** The bearer token. */
  readonly bearerToken: SecretText;
}

/** A private key, over SSH. The server's host key must be known to Argo CD. */
export interface SshCredential {
  /** The private key. */
  readonly sshPrivateKey: SecretText;
}

/** A GitHub App, over HTTPS. */
export interface GitHubAppCredential {
  /** Number of the App. */
  readonly githubAppID: number | SecretText;
  /** Number of the App's installation in the organisation. */
  readonly githubAppInstallationID: number | SecretText;
  /** The App's private key: PEM, PKCS#1 or PKCS#8, without a passphrase. */
  readonly githubAppPrivateKey: SecretText;
  /** URL of the API of a GitHub Enterprise server, `https://ghe.example.com/api/v3`. @default - github.com */
  readonly githubAppEnterpriseBaseUrl?: string;
}

export const repositoryCredentialKeys: OptionsOf<RepositoryCredential> = {
  username: textOr(externalValueKeys),
  password: textOr(externalValueKeys),
  bearerToken: textOr(externalValueKeys),
  sshPrivateKey: textOr(externalValueKeys),
  githubAppID: textOr(externalValueKeys),
  githubAppInstallationID: textOr(externalValueKeys),
  githubAppPrivateKey: textOr(externalValueKeys),
  githubAppEnterpriseBaseUrl: 'plain',
};

/** Which fields each kind of credential has, and the one that tells it. */
const kinds = [
  { by: 'password', fields: ['username', 'password'] },
  { by: 'bearerToken', fields: ['bearerToken'] },
  { by: 'sshPrivateKey', fields: ['sshPrivateKey'] },
  {
    by: 'githubAppPrivateKey',
    fields: ['githubAppID', 'githubAppInstallationID', 'githubAppPrivateKey', 'githubAppEnterpriseBaseUrl'],
  },
] as const;

/**
 * Checks a credential, and that it fits the repository. No value of it is shown, whatever is wrong.
 *
 * @param type what kind of repository it is for
 * @param url where the repository is
 */
export function checkCredential(
  checks: FieldChecks,
  credential: RepositoryCredential,
  type: 'git' | 'helm',
  url: string,
): void {
  const { problems } = checks;
  const path = 'credential';
  const fields = credential as unknown as Record<string, unknown>;
  const given = kinds.filter(({ by }) => fields[by] !== undefined);
  const [kind] = given;
  if (!kind || given.length > 1) {
    problems.addSecret(path, `exactly one of ${kinds.map(({ by }) => `"${by}"`).join(', ')}`);
    return;
  }
  for (const field of Object.keys(fields)) {
    if (fields[field] !== undefined && !(kind.fields as readonly string[]).includes(field)) {
      problems.addSecret(`${path}.${field}`, `left out: the credential is a "${kind.by}"`);
    }
  }
  checkStores(checks, path, kind.by, { ...fields, url });
  if (!isExternal(fields[kind.by])) {
    checkSecretText(checks, `${path}.${kind.by}`, fields[kind.by]);
  }
  if (kind.by === 'password') {
    checkText(checks, `${path}.username`, fields.username, nonEmptyText);
  } else if (type === 'helm') {
    problems.addSecret(path, 'a user name and password: Argo CD uses nothing else for Helm repositories');
  }
  if (kind.by === 'githubAppPrivateKey') {
    checkText(checks, `${path}.githubAppID`, fields.githubAppID, identifier);
    checkText(checks, `${path}.githubAppInstallationID`, fields.githubAppInstallationID, identifier);
    checks.optionalSecretly(
      `${path}.githubAppEnterpriseBaseUrl`,
      fields.githubAppEnterpriseBaseUrl,
      httpsUrl,
    );
  }
  if (typeof url === 'string' && !checks.isOpen(url)) {
    checkTransport(checks, kind.by, type, url);
  }
}

/** A text that is no secret by itself may still come from a store, with the others. */
function checkText(checks: FieldChecks, path: string, value: unknown, rule: Format): void {
  if (!isExternal(value)) {
    checks.requiredSecretly(path, value, rule);
  }
}

/** Values from a store: each says where, all are in one store, and the secret is among them. */
function checkStores(
  checks: FieldChecks,
  path: string,
  secret: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  const external = Object.entries(fields).filter((entry): entry is [string, ExternalValue] =>
    isExternal(entry[1]),
  );
  const [first] = external;
  if (!first) {
    return;
  }
  const before = checks.problems.all.length;
  for (const [field, value] of external) {
    checkExternalValue(checks, `${path}.${field}`, value);
  }
  if (checks.problems.all.length > before) {
    return;
  }
  const store = storeOf(first[1]);
  for (const [field, value] of external) {
    const { name, kind } = storeOf(value);
    if (name !== store.name || kind !== store.kind) {
      checks.problems.addSecret(`${path}.${field}`, `in the same store as ${path}.${first[0]}`);
    }
  }
  if (!isExternal(fields[secret]) && fields[secret] !== undefined) {
    checks.problems.addSecret(
      `${path}.${secret}`,
      `from the store as well, as ${path}.${first[0]} is: an ExternalSecret holds everything else in the clear`,
    );
  }
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('{{')) {
      checks.problems.addSecret(
        field === 'url' ? field : `${path}.${field}`,
        'a text without "{{", which a template would read',
      );
    }
  }
}

/** A secret must be one marker and nothing else: any text around it would be a part of the secret in the clear. */
export function checkSecretText(checks: FieldChecks, path: string, value: unknown): void {
  if (typeof value !== 'string' || markerNumber(value) === undefined) {
    checks.problems.addSecret(
      path,
      "exactly one token of a deployment's output (bridge.outputToken of a Pulumi secret), or where a secret store has it ({ fromStore }): plain text is refused here",
    );
  }
}

function checkTransport(checks: FieldChecks, by: string, type: 'git' | 'helm', url: string): void {
  const wantsSsh = by === 'sshPrivateKey';
  if (wantsSsh && !isSshUrl(url)) {
    checks.problems.addSecret(
      'url',
      'an SSH URL ("git@host:path" or "ssh://git@host/path"): the credential is a key',
    );
  }
  // The URL of an OCI registry has no scheme, and is always reached over TLS.
  if (!wantsSsh && type === 'git' && !/^https:\/\//i.test(url)) {
    checks.problems.addSecret('url', `a URL that starts with "https://": the credential is a "${by}"`);
  }
  if (!wantsSsh && /^http:\/\//i.test(url) && type === 'helm') {
    checks.problems.addSecret('url', 'a URL without TLS only where there is no credential');
  }
}

/** The credential as it is in the Secret: texts, and where texts are. */
export function credentialData(
  credential: RepositoryCredential | undefined,
): Record<string, string | ExternalValue> {
  return Object.fromEntries(
    Object.entries(credential ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([key, value]: [string, unknown]) => [key, isExternal(value) ? value : String(value)]),
  );
}
