import type * as aws from '@pulumi/aws';
import { networkCidr } from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem, Rule } from '../../core/validation/problems';

// The lengths and characters are those of
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html and
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/add-rule.html

function pattern(expression: RegExp, allowed: string): Rule {
  return { allowed, accepts: (value) => typeof value === 'string' && expression.test(value) };
}

/** A host name, with wildcards before its last dot. */
const hostPattern: Rule = pattern(
  /^(?=.{1,128}$)[A-Za-z0-9_.*?-]*\.[A-Za-z0-9-]+$/,
  'a host name with at least one ".", letters, digits, "-", "_", and before the last "." also the wildcards "*" and "?", at most 128 characters',
);

/** A path, with wildcards. */
const pathPattern: Rule = pattern(
  /^(?=.{1,128}$)[/*?][A-Za-z0-9_.$/~"'@:+&*?-]*$/,
  'a path that starts with "/" or a wildcard, of letters, digits, _-.$/~"\'@:+& and the wildcards "*" and "?", at most 128 characters',
);

/** An HTTP method; its case counts, and there are no wildcards. */
const httpMethod: Rule = pattern(/^[A-Z_-]{1,40}$/, 'capital letters, "-" and "_", at most 40 characters');

/** Addresses that a connection comes from. */
const sourceNetwork: Rule = {
  allowed: `${networkCidr.allowed}, other than 255.255.255.255/32`,
  accepts: (value) => networkCidr.accepts(value) && value !== '255.255.255.255/32',
};

/**
 * Name of an HTTP header. A "*" would be an ordinary character there (RFC 7230), and surely was not meant as one.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_HttpHeaderConditionConfig.html
 */
const headerName: Rule = pattern(
  /^(?!host$)[A-Za-z0-9!#$%&'+.^_`|~-]{1,40}$/i,
  'the name of a header without wildcards, at most 40 characters; for the Host header use hosts',
);

/** Text with wildcards, for a header's value and a query string. */
const textPattern: Rule = pattern(
  /^[\x20-\x7e]{1,128}$/,
  'visible ASCII characters with the wildcards "*" and "?", 1 to 128 of them',
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

const queryStringKeys: OptionsOf<QueryString> = { key: 'plain', value: 'plain' };

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

export const ruleConditionsKeys: OptionsOf<RuleConditions> = {
  hosts: 'list',
  paths: 'list',
  methods: 'list',
  sourceIps: 'list',
  headers: 'plain',
  queryStrings: listOf(queryStringKeys),
};

const mostValuesOfCondition = 3;

const mostValuesOfRule = 5;

const mostWildcardsOfRule = 5;

const lists = [
  ['hosts', hostPattern],
  ['paths', pathPattern],
  ['methods', httpMethod],
  ['sourceIps', sourceNetwork],
] as const;

/** The fields of a rule's conditions. */
export const conditionFields = ['hosts', 'paths', 'methods', 'sourceIps', 'headers', 'queryStrings'] as const;

/** What is wrong with the conditions of one rule; paths start at the conditions. */
export function conditionProblems(conditions: RuleConditions): readonly Problem[] {
  const problems = new Problems('conditions');
  if (conditionFields.every((field) => conditions[field] === undefined)) {
    const allowed = `at least one of ${conditionFields.join(', ')}; paths: ["/*"] takes every request`;
    problems.add('conditions', undefined, allowed);
    return problems.all;
  }
  const values: unknown[] = [];
  for (const [field, rule] of lists) {
    values.push(...checkList(problems, field, conditions[field], rule));
  }
  for (const [name, texts] of Object.entries(conditions.headers ?? {})) {
    problems.check(`headers.${name}`, name, headerName);
    values.push(...checkList(problems, `headers.${name}`, texts, textPattern));
  }
  if (conditions.headers !== undefined && Object.keys(conditions.headers).length === 0) {
    problems.add('headers', conditions.headers, 'at least one header, or left out');
  }
  values.push(...checkQueryStrings(problems, conditions.queryStrings));

  if (values.length > mostValuesOfRule) {
    problems.add('conditions', values, `at most ${mostValuesOfRule} values in all conditions of a rule`);
  }
  const matching = values.filter((value): value is string => typeof value === 'string');
  const count = matching.reduce((sum, text) => sum + wildcards(text), 0);
  if (count > mostWildcardsOfRule) {
    problems.add('conditions', matching, `at most ${mostWildcardsOfRule} wildcards in a rule`);
  }
  return problems.all;
}

/** Checks one condition's values and answers them, whatever they are. */
function checkList(
  problems: Problems,
  path: string,
  values: readonly unknown[] | undefined,
  rule: Rule,
): readonly unknown[] {
  if (values === undefined) {
    return [];
  }
  if (!Array.isArray(values) || values.length === 0) {
    problems.add(path, values, 'a list of at least one value, or left out');
    return [];
  }
  values.forEach((value, index) => problems.check(`${path}[${index}]`, value, rule));
  checkCount(problems, path, values);
  return values as unknown[];
}

function checkQueryStrings(problems: Problems, parts: RuleConditions['queryStrings']): readonly unknown[] {
  if (parts === undefined) {
    return [];
  }
  if (!Array.isArray(parts) || parts.length === 0) {
    problems.add('queryStrings', parts, 'a list of at least one { key, value }, or left out');
    return [];
  }
  (parts as readonly Partial<QueryString>[]).forEach((part, index) => {
    if (part.key !== undefined) {
      problems.check(`queryStrings[${index}].key`, part.key, textPattern);
    }
    problems.check(`queryStrings[${index}].value`, part.value, textPattern);
  });
  checkCount(problems, 'queryStrings', parts);
  // A pair is one value to match, with the wildcards of both.
  return (parts as readonly QueryString[]).map(({ key, value }) => `${key ?? ''}=${value}`);
}

function checkCount(problems: Problems, path: string, values: readonly unknown[]): void {
  if (values.length > mostValuesOfCondition) {
    problems.add(
      path,
      values,
      `at most ${mostValuesOfCondition} values in one condition; use a further rule`,
    );
  }
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
