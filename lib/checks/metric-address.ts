import type { Rule } from '../problems';

/** An address of a metric service. A password in it would stand in logs, and so would a key in a query. */
export const metricAddress: Rule = {
  allowed:
    'a URL that starts with https:// (or http://, for a service that wants no key), without a password, a query and a fragment',
  accepts: (value) => {
    if (typeof value !== 'string' || !URL.canParse(value)) {
      return false;
    }
    const url = new URL(value);
    const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    return isPlain && (url.protocol === 'https:' || url.protocol === 'http:');
  },
};

/** Whether a key may be sent there: over TLS, or to this very machine. */
export function keepsSecrets(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The address with a path behind its own. A list of values stands as so many parameters. */
export function addressOf(
  base: string,
  path: string,
  query: Readonly<Record<string, string | readonly string[]>>,
): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  url.search = Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${escaped(one)}`))
    .join('&');
  return url;
}

/** As a signature of AWS wants it: everything but letters, digits and `-._~` (RFC 3986). */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
