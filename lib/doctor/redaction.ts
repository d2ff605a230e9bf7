/** The most that is shown of a text of somebody else's. */
const longest = 300;

/** More is not looked at: a text may be made of beginnings of tokens. In characters. */
const mostRead = 10_000;

/**
 * A text of somebody else's, fit to be shown: one line, cut, and without anything that looks like a key, a token or a
 * password. GitHub doesn't send those back; a proxy or a stand-in might.
 */
export function shown(text: string): string {
  const line = text
    .slice(0, mostRead)
    .replace(/-----BEGIN [\s\S]*?(?:-----END [^-]*-----|$)/g, '[key]')
    .replace(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '[token]')
    .replace(/\b(?:gh[a-z]|github_pat)_[\w.-]+/g, '[token]')
    .replace(/\b(bearer|basic|token)\s+[\w.~+/=-]{16,}/gi, '$1 [token]')
    .replace(/\/\/[^/\s@]*@/g, '//')
    // Half a key has no marks; its lines are long.
    .replace(/[A-Za-z0-9+/_=-]{48,}/g, '[long text]')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
}

/** A URL without user information, query and fragment; whatever is no URL is not shown. */
export function shownUrl(text: string): string {
  try {
    const { protocol, host, pathname } = new URL(text);
    if (host !== '' && /^(https?|ssh|git|socks\w*):$/.test(protocol)) {
      return shown(`${protocol}//${host}${pathname === '/' ? '' : pathname}`);
    }
  } catch {
    // It may still be how git writes an address.
  }
  const [, rest] = /^git@([\w.-]+:[\w./~-]+)$/.exec(text) ?? [];
  return rest === undefined ? 'a URL that is not shown' : shown(rest);
}
