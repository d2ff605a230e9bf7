import { secretSource } from '../../core/secret-source';
import type { SecretSource } from '../../core/secret-source';
import { optional } from '../../core/validation/collections';
import { text, that } from '../../core/validation/values';

/** The admin API of an HTTP proxy, and how it is asked. */
export interface ProxyAccess {
  /**
   * Address of the admin API: `https://proxy.example.com/admin`, or `http://127.0.0.1:9000` on this machine. `/weights` and
   * `/counts` are added to it.
   */
  readonly address: string;
  /** Where the token is read from that requests have as `Authorization: Bearer TOKEN`. @default - none is sent */
  readonly token?: SecretSource;
}

const allowed =
  'a URL that starts with https://, or with http:// and this machine (127.0.0.1, [::1], localhost), without a login, a query and a fragment';

/** Weights that travel in the clear could be changed on their way. */
const address = that(
  text(
    allowed,
    /^(https:\/\/[^/@?#\\\s]+|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?)(\/[!"$->@-[\]-~]*)?$/,
    2_048,
  ),
  allowed,
  (value) => URL.canParse(value),
);

/** Schemas of {@link ProxyAccess}. */
export const proxyAccess = { address, token: optional(secretSource) };

/** An address below that of the admin API. */
export function proxyUrl(
  { address: base }: ProxyAccess,
  path: string,
  query: Readonly<Record<string, number>> = {},
): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) {
    url.searchParams.set(name, String(value));
  }
  return url;
}
