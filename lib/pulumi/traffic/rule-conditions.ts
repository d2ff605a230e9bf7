import type * as aws from '@pulumi/aws';
import { across, record, list, object, optional } from '../../core/validation/collections';
import { networkCidr } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { following, text, that } from '../../core/validation/values';

// The lengths and characters are those of
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html and
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/add-rule.html

/** A host name, with wildcards before its last dot. */
const hostPattern = text(
  'a host name with at least one ".", letters, digits, "-", "_", and before the last "." also the wildcards "*" and "?", at most 128 characters',
  /^(?=.{1,128}$)[A-Za-z0-9_.*?-]*\.[A-Za-z0-9-]+$/,
);

/** A path, with wildcards. */
const pathPattern = text(
  'a path that starts with "/" or a wildcard, of letters, digits, _-.$/~"\'@:+& and the wildcards "*" and "?", at most 128 characters',
  /^(?=.{1,128}$)[/*?][A-Za-z0-9_.$/~"'@:+&*?-]*$/,
);

/** An HTTP method; its case counts, and there are no wildcards. */
const httpMethod = text('capital letters, "-" and "_", at most 40 characters', /^[A-Z_-]{1,40}$/);

/** Addresses that a connection comes from. */
const sourceNetwork: Format = {
  allowed: `${networkCidr.allowed}, other than 255.255.255.255/32`,
  accepts: (value) => networkCidr.accepts(value) && value !== '255.255.255.255/32',
};

/**
 * Name of an HTTP header. A "*" would be an ordinary character there (RFC 7230), and surely was not meant as one.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_HttpHeaderConditionConfig.html
 */
const headerName = text(
  'the name of a header without wildcards, at most 40 characters; for the Host header use hosts',
  /^(?!host$)[A-Za-z0-9!#$%&'+.^_`|~-]{1,40}$/i,
);

/** Text with wildcards, for a header's value and a query string. */
const textPattern = text(
  'visible ASCII characters with the wildcards "*" and "?", 1 to 128 of them',
  /^[\x20-\x7e]{1,128}$/,
);

/** How many wildcards are in a pattern; a backslash makes an ordinary character of one. */
export function wildcards(text: string): number {
  return text.replace(/\\./g, '').replace(/[^*?]/g, '').length;
}

/** A part of the query string; both texts may hold the wildcards `*` and `?`, and their case does not count. */
export interface QueryString {
  /** The key, at most 128 characters. @default - any key */
  readonly key?: string;
  /** The value, at most 128 characters. */
  readonly value: string;
}

/**
 * Which requests a rule takes. Of each list one value has to match; of the fields that are given, all.
 *
 * A rule has at least one condition, at most three values in each and five in all, and at most five wildcards.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 */
export interface RuleConditions {
  /** Host names; `*` and `?` are wildcards, and case does not count. @default - any */
  readonly hosts?: readonly string[];
  /** Paths without the query string; `*` and `?` are wildcards, and case counts. @default - any */
  readonly paths?: readonly string[];
  /** HTTP methods in capital letters. @default - any */
  readonly methods?: readonly string[];
  /** Networks that the connection comes from (not those of `X-Forwarded-For`). @default - any */
  readonly sourceIps?: readonly string[];
  /** Values by the header's name; each header has to be there with one of its values, which may hold wildcards. @default - any */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** Parts of the query string, of which one has to be there. @default - any */
  readonly queryStrings?: readonly QueryString[];
}

const maxValuesOfCondition = 3;

const maxValuesOfRule = 5;

const maxWildcardsOfRule = 5;

/** The most that AWS takes in all conditions of a rule. */
export const mostOfRule = { values: maxValuesOfRule, wildcards: maxWildcardsOfRule } as const;

/** The values of one condition. */
function valuesOf<T>(
  value: Schema<T>,
  allowed = 'a list of at least one value, or left out',
): Schema<readonly T[]> {
  return that(
    list(value, 1, allowed),
    `at most ${maxValuesOfCondition} values in one condition; use a further rule`,
    (values) => values.length <= maxValuesOfCondition,
  );
}

/** A schema for each of the conditions. */
export const ruleConditionsEntries: Entries<RuleConditions> = {
  hosts: optional(valuesOf(hostPattern)),
  paths: optional(valuesOf(pathPattern)),
  methods: optional(valuesOf(httpMethod)),
  sourceIps: optional(valuesOf(following(sourceNetwork))),
  headers: optional(
    that(
      record(valuesOf<string>(textPattern), headerName),
      'at least one header, or left out',
      (headers) => Object.keys(headers).length > 0,
    ),
  ),
  queryStrings: optional(
    valuesOf(
      object<QueryString>({ key: optional(textPattern), value: textPattern }),
      'a list of at least one { key, value }, or left out',
    ),
  ),
};

/** The fields of a rule's conditions. */
export const conditionFields = ['hosts', 'paths', 'methods', 'sourceIps', 'headers', 'queryStrings'] as const;

/** Conditions, with what is wrong with several together. */
export function withConditions<T extends RuleConditions>(schema: Schema<T>): Schema<T> {
  return across(schema, (given, { mustBeSecretly }) => {
    const conditions = given as { readonly [Field in keyof RuleConditions]?: unknown } & {
      readonly ruleArgs?: unknown;
    };
    if (isPlainObject(conditions.ruleArgs) && conditions.ruleArgs.conditions !== undefined) {
      return;
    }
    if (conditionFields.every((field) => conditions[field] === undefined)) {
      mustBeSecretly(
        ['conditions'],
        `at least one of ${conditionFields.join(', ')}; paths: ["/*"] takes every request`,
      );
      return;
    }
    const totals = conditionTotals(conditions);
    if (totals.values > maxValuesOfRule) {
      mustBeSecretly(['conditions'], `at most ${maxValuesOfRule} values in all conditions of a rule`);
    }
    if (totals.wildcards > maxWildcardsOfRule) {
      mustBeSecretly(['conditions'], `at most ${maxWildcardsOfRule} wildcards in a rule`);
    }
  });
}

/** How many values and wildcards are in all conditions of a rule. */
export function conditionTotals(conditions: { readonly [Field in keyof RuleConditions]?: unknown }): {
  readonly values: number;
  readonly wildcards: number;
} {
  const values = matchedValues(conditions);
  return {
    values: values.length,
    wildcards: values.reduce((sum, each) => sum + wildcards(each), 0),
  };
}

/**
 * All that a rule looks for. A pair of a query string is one value, with the wildcards of both; what is no text counts as a
 * value without any.
 */
function matchedValues(conditions: { readonly [Field in keyof RuleConditions]?: unknown }): string[] {
  const { hosts, paths, methods, sourceIps, headers, queryStrings } = conditions;
  const lists = [hosts, paths, methods, sourceIps, ...(isPlainObject(headers) ? Object.values(headers) : [])];
  const pairs = (Array.isArray(queryStrings) ? (queryStrings as unknown[]) : []).filter(isPlainObject);
  return [
    ...lists.flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : [])).map(textOf),
    ...pairs.map(({ key, value }) => [key, value].map(textOf).join('=')),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The conditions as the listener rule takes them: one for each field, and one for each header. */
export function listenerConditions(conditions: RuleConditions): aws.types.input.lb.ListenerRuleCondition[] {
  const { hosts, paths, methods, sourceIps, headers = {}, queryStrings } = conditions;
  return [
    ...(hosts ? [{ hostHeader: { values: [...hosts] } }] : []),
    ...(paths ? [{ pathPattern: { values: [...paths] } }] : []),
    ...(methods ? [{ httpRequestMethod: { values: [...methods] } }] : []),
    ...(sourceIps ? [{ sourceIp: { values: [...sourceIps] } }] : []),
    ...Object.entries(headers).map(([httpHeaderName, values]) => ({
      httpHeader: { httpHeaderName, values: [...values] },
    })),
    ...(queryStrings ? [{ queryStrings: queryStrings.map(({ key, value }) => ({ key, value })) }] : []),
  ];
}
