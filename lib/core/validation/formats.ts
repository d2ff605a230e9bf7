import { isIPv4, isIPv6 } from 'node:net';
import { parseDuration } from '../durations';
import type { Format } from './problems';

function pattern(expression: RegExp, longest: number, allowed: string): Format {
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
export const dnsLabel: Format = dnsLabelUpTo(63);

/** The same, for a name of which longer ones are made. */
export function dnsLabelUpTo(longest: number): Format {
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
export const dnsSubdomain: Format = dnsSubdomainUpTo(253);

/** The same, for a name of which longer ones, or values of labels, are made. */
export function dnsSubdomainUpTo(longest: number): Format {
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
export const labelValue: Format = pattern(
  new RegExp(`^(${name})?$`),
  63,
  'letters, digits, "-", "_" and ".", a letter or digit at both ends, at most 63 characters',
);

/**
 * A Kubernetes label or annotation key: a name of at most 63 characters, with an optional DNS prefix and a slash.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export const labelKey: Format = {
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
export const port: Format = wholeNumber(1, 65535);

/** A whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): Format {
  return {
    allowed: `a whole number from ${least} to ${most}`,
    accepts: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

/** A boolean. */
export const trueOrFalse: Format = {
  allowed: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

/** One of a few words. */
export function oneOfWords(...words: readonly string[]): Format {
  return {
    allowed: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}

/** A text of a certain form. */
export function textRule(expression: RegExp, allowed: string): Format {
  return { allowed, accepts: (value) => typeof value === 'string' && expression.test(value) };
}

/** Any text with something in it. */
export const nonEmptyText: Format = textRule(/\S/, 'a text that is not empty');

/** A proxy's URL, without a login in it. */
export const proxyUrl: Format = textRule(
  /^(https?|socks5):\/\/[^\s/@?#]+\/?$/,
  'a URL that starts with "http://", "https://" or "socks5://", without user information',
);

/**
 * A range of addresses as AWS's provider wants it: in its shortest form, and without bits behind the prefix.
 * `10.0.0.5/24` is refused, because it is either `10.0.0.5/32` or `10.0.0.0/24`.
 */
export const networkCidr: Format = {
  allowed:
    'a network such as 203.0.113.0/24 or 2001:db8::/32, in its shortest form and without bits behind the prefix',
  accepts: (value) => typeof value === 'string' && isNetwork(value),
};

function isNetwork(text: string): boolean {
  const [, address, digits] = /^([0-9a-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (address === undefined || digits === undefined) {
    return false;
  }
  const length = Number(digits);
  if (isIPv4(address)) {
    const bits = address.split('.').reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
    return length <= 32 && isClear(bits, 32 - length);
  }
  // The URL parser writes an IPv6 address in its shortest form.
  const shortest = isIPv6(address) && new URL(`http://[${address}]/`).hostname === `[${address}]`;
  return shortest && length <= 128 && isClear(ipv6Bits(address), 128 - length);
}

function isClear(bits: bigint, low: number): boolean {
  return (bits & ((1n << BigInt(low)) - 1n)) === 0n;
}

function ipv6Bits(address: string): bigint {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

/**
 * A name of the IANA time zone database, as Go knows it. Offsets such as "+02:00" are known to Node.js, but not to Go.
 */
export const timeZone: Format = {
  allowed: 'a name of the IANA time zone database, such as "UTC" or "Asia/Tokyo"',
  accepts: (value) => {
    if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) {
      return false;
    }
    try {
      new Intl.DateTimeFormat('en', { timeZone: value });
      return true;
    } catch {
      return false;
    }
  },
};

/**
 * An image that is always the same one.
 *
 * @see https://pkg.go.dev/github.com/distribution/reference
 */
export const imageByDigest: Format = {
  allowed:
    'an image by its digest, NAME@sha256:… with 64 hexadecimal digits: a tag may be another image tomorrow',
  accepts: (value) =>
    typeof value === 'string' && /^[a-z0-9][\w.:/-]{0,440}@sha256:[0-9a-f]{64}$/.test(value),
};

/** A container's command. Kubernetes would replace `$(NAME)` in it. */
export const containerCommand: Format = {
  allowed: 'a list of words, at least one, without "$("',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((word) => typeof word === 'string' && /^[^\p{Cc}]+$/u.test(word) && !word.includes('$(')),
};

/** Name of an environment variable. */
export const variableName: Format = {
  allowed: 'letters, digits and "_", no digit first',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
};

/**
 * A key in a Secret.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data
 */
export const secretKey: Format = {
  allowed: 'a key of the Secret: letters, digits, "-", "_" and "."',
  accepts: (value) => typeof value === 'string' && /^[-\w.]{1,253}$/.test(value),
};

/** A duration as Go writes it. */
export const goDuration: Format = {
  allowed: 'a duration such as "30s" or "1h30m": numbers with the units h, m, s, ms, us or ns',
  accepts: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
};
