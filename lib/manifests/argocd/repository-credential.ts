import { markerNumber } from '../../core/tokens';
import { across, either, object, optional } from '../../core/validation/collections';
import { nonEmptyText } from '../../core/validation/formats';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Format, Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Schema } from '../../core/validation/schema';
import { holdsLogin } from '../../core/validation/secrets';
import { following, secret, that } from '../../core/validation/values';
import { completed, isCompleted } from '../field-schemas';
import type { Completion, FieldsOf } from '../field-schemas';
import { httpsUrl, identifier } from './argo-object';
import { externalValueSchema, isExternal, storeOf } from './secrets';
import type { ExternalValue } from './secrets';

/**
 * A repository's URL, which holds no credential. A user name in an HTTPS URL counts as one, because access tokens are given
 * that way. A URL that is refused is not shown.
 */
export function repositoryUrl(by?: Completion): Schema<never> {
  return secret(
    that(
      that(
        completed(nonEmptyText, by),
        'a URL without user name, password and token: credentials belong into a repository Secret',
        (url) => !holdsCredential(url),
      ),
      'a URL without spaces',
      (url) => isCompleted(url, by) || !/\S\s+\S/.test(url),
    ),
  );
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

/** Only a marker, and nothing else: any text around it would be a part of the secret in the clear. */
export const credentialText: Format = {
  allowed:
    "exactly one token of a deployment's output (bridge.outputToken of a Pulumi secret), or where a secret store has it ({ fromStore }): plain text is refused here",
  accepts: (value) => typeof value === 'string' && markerNumber(value) !== undefined,
};

/** A value that follows a rule, or where it is in a secret store. */
export function textOrExternal(rule: Format): Schema<never> {
  return either(
    rule.allowed,
    { when: isPlainObject, schema: externalValueSchema as Schema as Schema<never> },
    { when: () => true, schema: following(rule) },
  );
}

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

const [plainText, number] = [nonEmptyText, identifier].map((rule) =>
  textOrExternal({
    allowed: rule.allowed,
    accepts: (value) => isCompleted(value) || rule.accepts(value),
  }),
) as [Schema<never>, Schema<never>];

const token = textOrExternal(credentialText);

/** A credential on its own. No value of it is shown, whatever is wrong. */
export const repositoryCredentialSchema: Schema<RepositoryCredential> = secret(
  across(
    object<FieldsOf<RepositoryCredential>>({
      username: optional(plainText),
      password: optional(token),
      bearerToken: optional(token),
      sshPrivateKey: optional(token),
      githubAppID: optional(number),
      githubAppInstallationID: optional(number),
      githubAppPrivateKey: optional(token),
      githubAppEnterpriseBaseUrl: optional(completed(httpsUrl)),
    }),
    (fields, { mustBeSecretly, conflicts }) => {
      const given = kinds.filter(({ by }) => fields[by] !== undefined);
      const [kind] = given;
      if (!kind || given.length > 1) {
        mustBeSecretly([], `exactly one of ${kinds.map(({ by }) => `"${by}"`).join(', ')}`);
        return;
      }
      const own: readonly string[] = kind.fields;
      for (const { fields: others } of kinds.filter((each) => each !== kind)) {
        others
          .filter((field) => fields[field] !== undefined)
          .forEach((field) => conflicts([field], `"${kind.by}"`));
      }
      for (const field of ['username', 'githubAppID', 'githubAppInstallationID'] as const) {
        if (own.includes(field) && fields[field] === undefined) {
          mustBeSecretly([field], field === 'username' ? nonEmptyText.allowed : identifier.allowed);
        }
      }
    },
  ),
) as Schema<RepositoryCredential>;

/**
 * Where a credential does not fit its repository, and where its values do not come from one store. Either may be wrong by
 * itself.
 */
export function credentialProblems(credential: unknown, type: unknown, url: unknown): readonly Problem[] {
  const fields = isPlainObject(credential) ? credential : {};
  const kind = kinds.find(({ by }) => fields[by] !== undefined);
  if (!kind) {
    return [];
  }
  const problems = new Problems('');
  checkStores(problems, kind.by, { ...fields, url });
  if (kind.by !== 'password' && type === 'helm') {
    problems.addSecret(
      'credential',
      'a user name and password: Argo CD uses nothing else for Helm repositories',
    );
  }
  if (typeof url === 'string' && !isCompleted(url)) {
    checkTransport(problems, kind.by, type === 'helm' ? type : 'git', url);
  }
  return problems.all;
}

/** Values from a store: all are in one store, and the secret is among them. */
function checkStores(
  problems: Problems,
  secretField: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  const path = 'credential';
  const external = Object.entries(fields).filter((entry): entry is [string, ExternalValue] =>
    isExternal(entry[1]),
  );
  const [first] = external;
  if (!first || external.some(([, value]) => problemsOf(externalValueSchema, value).length > 0)) {
    return;
  }
  const store = storeOf(first[1]);
  for (const [field, value] of external) {
    const { name, kind } = storeOf(value);
    if (name !== store.name || kind !== store.kind) {
      problems.addSecret(`${path}.${field}`, `in the same store as ${path}.${first[0]}`);
    }
  }
  if (!isExternal(fields[secretField]) && fields[secretField] !== undefined) {
    problems.addSecret(
      `${path}.${secretField}`,
      `from the store as well, as ${path}.${first[0]} is: an ExternalSecret holds everything else in the clear`,
    );
  }
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('{{')) {
      problems.addSecret(
        field === 'url' ? field : `${path}.${field}`,
        'a text without "{{", which a template would read',
      );
    }
  }
}

function checkTransport(problems: Problems, by: string, type: 'git' | 'helm', url: string): void {
  const wantsSsh = by === 'sshPrivateKey';
  if (wantsSsh && !isSshUrl(url)) {
    problems.addSecret(
      'url',
      'an SSH URL ("git@host:path" or "ssh://git@host/path"): the credential is a key',
    );
  }
  // The URL of an OCI registry has no scheme, and is always reached over TLS.
  if (!wantsSsh && type === 'git' && !/^https:\/\//i.test(url)) {
    problems.addSecret('url', `a URL that starts with "https://": the credential is a "${by}"`);
  }
  if (!wantsSsh && /^http:\/\//i.test(url) && type === 'helm') {
    problems.addSecret('url', 'a URL without TLS only where there is no credential');
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
