/** Says whether a value is acceptable, and what would be. */
export interface Rule<T = unknown> {
  /** Completes the sentence "… must be". */
  readonly allowed: string;
  /** Whether the value follows the rule. */
  accepts(value: T): boolean;
}

function pattern(expression: RegExp, longest: number, allowed: string): Rule {
  return {
    allowed,
    accepts: (value) => typeof value === 'string' && value.length <= longest && expression.test(value),
  };
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/**
 * A Kubernetes name of the DNS label kind (RFC 1123), as namespaces and Services have.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export const dnsLabel: Rule = dnsLabelUpTo(63);

/** The same, for a name of which longer ones are made. */
export function dnsLabelUpTo(longest: number): Rule {
  return pattern(
    new RegExp(`^${label}$`),
    longest,
    `lower-case letters, digits and "-", a letter or digit at both ends, at most ${longest} characters`,
  );
}

/**
 * A Kubernetes name of the DNS subdomain kind (RFC 1123), as most objects have.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export const dnsSubdomain: Rule = dnsSubdomainUpTo(253);

/** The same, for a name of which longer ones, or values of labels, are made. */
export function dnsSubdomainUpTo(longest: number): Rule {
  return pattern(
    new RegExp(`^${label}(\\.${label})*$`),
    longest,
    `lower-case letters, digits, "-" and ".", a letter or digit at both ends of each part, at most ${longest} characters`,
  );
}

const name = '[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?';

/**
 * A Kubernetes label value; may be empty.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const labelValue: Rule = pattern(
  new RegExp(`^(${name})?$`),
  63,
  'letters, digits, "-", "_" and ".", a letter or digit at both ends, at most 63 characters',
);

/**
 * A Kubernetes label or annotation key: a name of at most 63 characters, with an optional DNS prefix and a slash.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const labelKey: Rule = {
  allowed:
    'a name of letters, digits, "-", "_" and "." (at most 63 characters), with an optional DNS prefix and "/" before it',
  accepts: (value) => {
    if (typeof value !== 'string') {
      return false;
    }
    const [last = '', ...before] = value.split('/').reverse();
    const prefixFits = before.length === 0 || (before.length === 1 && dnsSubdomain.accepts(before[0]));
    return prefixFits && last !== '' && labelValue.accepts(last);
  },
};

/** A TCP port. */
export const port: Rule = wholeNumber(1, 65535);

/** A whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): Rule {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    accepts: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

/** One of a few words. */
export function oneOf(...words: readonly string[]): Rule {
  return {
    allowed: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}
