import type { Rule, OptionsOf } from '../problems';
import { someText, knownKeys } from '../problems';
import { anyText, httpsUrl } from './argo-rules';
import type { FieldChecks } from './field-checks';
import type { ConfigMapKey, SecretKey } from './secret-key';
import { checkConfigMapKey, checkSecretKey, secretKeyKeys } from './secret-key';

/** Exactly one of the fields. */
export type ExactlyOne<Fields> = {
  readonly [Name in keyof Fields]: { readonly [Key in Name]: Fields[Key] } & {
    readonly [Key in Exclude<keyof Fields, Name>]?: undefined;
  };
}[keyof Fields];

/** User name and password, by where the password is. */
export interface BasicAuth {
  /** User name. */
  readonly username: string;
  /** Where the password or access token is. */
  readonly passwordRef: SecretKey;
}

export const basicAuthKeys: OptionsOf<BasicAuth> = { username: 'plain', passwordRef: secretKeyKeys };

/** A bearer token, by where it is. */
export interface BearerToken {
  /** Where the token is. */
  readonly tokenRef: SecretKey;
}

export const bearerTokenKeys: OptionsOf<BearerToken> = { tokenRef: secretKeyKeys };

/** The trusted certificates of a host of one's own. */
export interface TrustedCertificates {
  /** Where the certificates of the trusted authorities are. @default - the system's */
  readonly caRef?: ConfigMapKey;
}

/** What a field of a provider holds. */
export type FieldKind =
  | 'text'
  | 'url'
  | 'flag'
  | 'texts'
  | 'secret'
  | 'configMap'
  | 'basic'
  | 'bearer'
  | Rule;

/** The fields of a provider; a leading `!` marks those that must be there. */
export type ProviderFields = Readonly<Record<string, FieldKind | { readonly required: FieldKind }>>;

/** A field that must be there. */
export const required = (kind: FieldKind): { readonly required: FieldKind } => ({ required: kind });

/** Whether a field is on or off. */
const flag: Rule = { allowed: 'true or false', accepts: (value) => typeof value === 'boolean' };

/**
 * Checks a provider by the list of its fields. What is not in the list is refused: plain credentials, and leave to skip the
 * verification of certificates.
 */
export function checkProvider(
  checks: FieldChecks,
  path: string,
  provider: unknown,
  fields: ProviderFields,
): void {
  const given = (typeof provider === 'object' && provider !== null ? provider : {}) as Record<
    string,
    unknown
  >;
  for (const [name, entry] of Object.entries(fields)) {
    const must = typeof entry === 'object' && 'required' in entry;
    const kind = must ? entry.required : entry;
    if (must || given[name] !== undefined) {
      checkField(checks, `${path}.${name}`, given[name], kind);
    }
  }
  knownKeys(checks.problems, path, given, Object.keys(fields));
}

function checkField(checks: FieldChecks, path: string, value: unknown, kind: FieldKind): void {
  if (typeof kind === 'object') {
    checks.required(path, value, kind);
    return;
  }
  const fields = (value ?? {}) as Record<string, unknown>;
  switch (kind) {
    case 'text':
      checks.required(path, value, someText);
      break;
    case 'url':
      checks.requiredSecretly(path, value, httpsUrl);
      break;
    case 'flag':
      checks.required(path, value, flag);
      break;
    case 'texts':
      checks.required(path, value, { allowed: 'a list of texts', accepts: (list) => Array.isArray(list) });
      checks.each(path, Array.isArray(value) ? value : [], anyText);
      break;
    case 'secret':
      checkSecretKey(checks, path, value);
      break;
    case 'configMap':
      checkConfigMapKey(checks, path, value);
      break;
    case 'basic':
      checks.required(`${path}.username`, fields.username, someText);
      checkSecretKey(checks, `${path}.passwordRef`, fields.passwordRef);
      break;
    case 'bearer':
      checkSecretKey(checks, `${path}.tokenRef`, fields.tokenRef);
      break;
  }
}

/** At most one of the ways to log in may be given. */
export function checkOneLogin(
  checks: FieldChecks,
  path: string,
  provider: unknown,
  ways: readonly string[],
): void {
  const given = (provider ?? {}) as Record<string, unknown>;
  const there = ways.filter((way) => given[way] !== undefined);
  if (there.length > 1) {
    checks.problems.add(path, there, `only one of ${ways.map((way) => `"${way}"`).join(', ')}`);
  }
}
