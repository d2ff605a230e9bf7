import type { FieldChecks } from '../../../core/validation/fields';
import { labelKey, nonEmptyText, trueOrFalse, wholeNumber } from '../../../core/validation/formats';
import { knownKeys } from '../../../core/validation/known-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import type { Format } from '../../../core/validation/problems';
import { generatorTemplateKeys } from '../application-template';
import type { GeneratorTemplate } from '../application-template';
import { anyText, httpsUrl } from '../argo-object';
import { labelSelectorKeys } from '../../../core/kubernetes/label-selector';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { checkConfigMapKey, checkSecretKey, secretKeyKeys } from '../secrets';
import type { ConfigMapKey, ArgoCdSecretKey } from '../secrets';

/** What every generator can do. */
export interface AnyGenerator {
  /**
   * Drops sets of parameters after they were made, by their values; keys are names of parameters, those of
   * nested ones joined by dots.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Post-Selector/
   * @default - none is dropped
   */
  readonly postSelector?: LabelSelector;
  /**
   * What the Applications of this generator have otherwise than the set's template says. Not for generators in a matrix or
   * merge, whose templates Argo CD leaves out.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/#generator-templates
   * @default - the set's template as it is
   */
  readonly template?: GeneratorTemplate;
}

export const anyGeneratorKeys: OptionsOf<AnyGenerator> = {
  postSelector: labelSelectorKeys,
  template: generatorTemplateKeys,
};

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
  readonly passwordRef: ArgoCdSecretKey;
}

export const basicAuthKeys: OptionsOf<BasicAuth> = { username: 'plain', passwordRef: secretKeyKeys };

/** A bearer token, by where it is. */
export interface BearerToken {
  /** Where the token is. */
  readonly tokenRef: ArgoCdSecretKey;
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
  | Format;

/** The fields of a provider; a leading `!` marks those that must be there. */
export type ProviderFields = Readonly<Record<string, FieldKind | { readonly required: FieldKind }>>;

/** A field that must be there. */
export const required = (kind: FieldKind): { readonly required: FieldKind } => ({ required: kind });

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
      checks.required(path, value, nonEmptyText);
      break;
    case 'url':
      checks.requiredSecretly(path, value, httpsUrl);
      break;
    case 'flag':
      checks.required(path, value, trueOrFalse);
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
      checks.required(`${path}.username`, fields.username, nonEmptyText);
      checkSecretKey(checks, `${path}.passwordRef`, fields.passwordRef);
      break;
    case 'bearer':
      checkSecretKey(checks, `${path}.tokenRef`, fields.tokenRef);
      break;
  }
}

/**
 * Checks which host is asked, and how.
 *
 * @returns the hosts that are given: one, unless that is wrong
 */
export function checkHosts<Host extends string>(
  checks: FieldChecks,
  path: string,
  options: { readonly [Key in Host]?: unknown },
  hosts: Readonly<Record<Host, ProviderFields>>,
): readonly Host[] {
  const names = Object.keys(hosts) as Host[];
  checks.exactlyOne(path, options, names);
  const given = names.filter((name) => options[name] !== undefined);
  given.forEach((name) => checkProvider(checks, `${path}.${name}`, options[name], hosts[name]));
  return given;
}

/** What generators that ask a host have in common. */
interface HostSearch {
  readonly requeueAfterSeconds?: number;
  readonly values?: Readonly<Record<string, string>>;
}

/** Checks how often a host is asked, and further parameters. */
export function checkSearch(
  checks: FieldChecks,
  path: string,
  { requeueAfterSeconds, values }: HostSearch,
): void {
  const seconds = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  checks.optional(`${path}.requeueAfterSeconds`, requeueAfterSeconds, seconds);
  checkValues(checks, `${path}.values`, values);
}

/** At least one of its conditions is in a filter: an empty one gives everything. */
export function checkHasCondition<Filter extends object>(
  checks: FieldChecks,
  path: string,
  filter: Filter,
  conditions: readonly (keyof Filter & string)[],
): void {
  if (conditions.every((condition) => filter[condition] === undefined)) {
    const allowed = `an object with one of ${conditions.map((each) => `"${each}"`).join(', ')}`;
    checks.problems.add(path, filter, allowed);
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

/** Checks the further parameters of a generator. */
export function checkValues(
  checks: FieldChecks,
  path: string,
  values: Readonly<Record<string, string>> | undefined,
): void {
  for (const [key, value] of Object.entries(values ?? {})) {
    checks.required(path, key, labelKey);
    checks.required(`${path}.${key}`, value, anyText);
  }
}
