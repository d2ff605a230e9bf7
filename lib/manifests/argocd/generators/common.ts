import { list, object, optional, record } from '../../../core/validation/collections';
import { labelKey, nonEmptyText, trueOrFalse, wholeNumber } from '../../../core/validation/formats';
import type { Entries, OptionalSchema, Schema } from '../../../core/validation/schema';
import { secret } from '../../../core/validation/values';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { labelSelector, withKeys } from '../../field-schemas';
import type { Completion } from '../../field-schemas';
import { applicationTemplateSchema, templated } from '../application-template';
import type { GeneratorTemplate } from '../application-template';
import { anyText, httpsUrl } from '../argo-object';
import { configMapKeySchema, secretKeySchema } from '../secrets';
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

const by: Completion = 'deployment or controller';

/** Entries for what every generator can do. What a template lacks, the set's has, which it is laid over. */
export const anyGeneratorEntries: Entries<AnyGenerator> = {
  postSelector: optional(labelSelector(by, nonEmptyText, anyText)),
  template: optional(applicationTemplateSchema as Schema as Schema<never>),
};

/** A text that is not empty. */
export const filledText: Schema<never> = templated(nonEmptyText);

/** Whether something is so. */
export const templatedFlag: OptionalSchema<boolean> = optional(templated(trueOrFalse));

/** Texts of any kind. */
export const templatedTexts: OptionalSchema<readonly string[]> = optional(list(templated(anyText)));

/** URL of a host. It may hold a secret, and is not shown. */
export const hostUrl: Schema<never> = secret(templated(httpsUrl));

/** Where a token or password is. */
export const tokenRef: OptionalSchema<ArgoCdSecretKey> = optional(secretKeySchema(by));

/** Seconds between two looks. */
export const requeueAfterSeconds: OptionalSchema<number> = optional(
  templated(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
);

/** Further parameters of a generator. */
export const values: OptionalSchema<Readonly<Record<string, string>>> = optional(
  record(templated(anyText), templated(labelKey)),
);

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

/** User name and password, by where the password is. */
export const basicAuth: OptionalSchema<BasicAuth> = optional(
  object<BasicAuth>({ username: filledText, passwordRef: secretKeySchema(by) }),
);

/** A bearer token, by where it is. */
export interface BearerToken {
  /** Where the token is. */
  readonly tokenRef: ArgoCdSecretKey;
}

/** A bearer token, by where it is. */
export const bearerToken: OptionalSchema<BearerToken> = optional(
  object<BearerToken>({ tokenRef: secretKeySchema(by) }),
);

/** The trusted certificates of a host of one's own. */
export interface TrustedCertificates {
  /** Where the certificates of the trusted authorities are. @default - the system's */
  readonly caRef?: ConfigMapKey;
}

/** Where trusted certificates are. */
export const caRef: OptionalSchema<ConfigMapKey> = optional(configMapKeySchema(by));

/** A filter, with at least one of its conditions: an empty one gives everything. */
export function filterOf<Filter extends object>(entries: Entries<Filter>): Schema<Filter> {
  return withKeys('at least one', Object.keys(entries) as (keyof Filter & string)[], object<Filter>(entries));
}
