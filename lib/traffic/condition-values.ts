import { networkCidr } from '../problems';
import type { Rule } from '../problems';

// The lengths and characters are those of
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html and
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/add-rule.html

function pattern(expression: RegExp, allowed: string): Rule {
  return { allowed, accepts: (value) => typeof value === 'string' && expression.test(value) };
}

/** A host name, with wildcards before its last dot. */
export const hostPattern: Rule = pattern(
  /^(?=.{1,128}$)[A-Za-z0-9_.*?-]*\.[A-Za-z0-9-]+$/,
  'a host name with at least one ".", letters, digits, "-", "_", and before the last "." also the wildcards "*" and "?", at most 128 characters',
);

/** A path, with wildcards. */
export const pathPattern: Rule = pattern(
  /^(?=.{1,128}$)[/*?][A-Za-z0-9_.$/~"'@:+&*?-]*$/,
  'a path that starts with "/" or a wildcard, of letters, digits, _-.$/~"\'@:+& and the wildcards "*" and "?", at most 128 characters',
);

/** An HTTP method; its case counts, and there are no wildcards. */
export const httpMethod: Rule = pattern(
  /^[A-Z_-]{1,40}$/,
  'capital letters, "-" and "_", at most 40 characters',
);

/** Addresses that a connection comes from. */
export const sourceNetwork: Rule = {
  allowed: `${networkCidr.allowed}, other than 255.255.255.255/32`,
  accepts: (value) => networkCidr.accepts(value) && value !== '255.255.255.255/32',
};

/**
 * Name of an HTTP header. A "*" would be an ordinary character there (RFC 7230), and surely was not meant as one.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_HttpHeaderConditionConfig.html
 */
export const headerName: Rule = pattern(
  /^(?!host$)[A-Za-z0-9!#$%&'+.^_`|~-]{1,40}$/i,
  'the name of a header without wildcards, at most 40 characters; for the Host header use hosts',
);

/** Text with wildcards, for a header's value and a query string. */
export const textPattern: Rule = pattern(
  /^[\x20-\x7e]{1,128}$/,
  'visible ASCII characters with the wildcards "*" and "?", 1 to 128 of them',
);

/** How many wildcards are in a pattern; a backslash makes an ordinary character of one. */
export function wildcards(text: string): number {
  return text.replace(/\\./g, '').replace(/[^*?]/g, '').length;
}
