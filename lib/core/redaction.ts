import { namesSecret } from './validation/secrets';

/** The most that is shown of a text of somebody else's. */
const longestShown = 300;

/** More is not looked at: a text may be made of beginnings of tokens. In characters. */
const mostRead = 10_000;

/**
 * A text of somebody else's, fit to be shown: one line, cut, and without anything that looks like a key, a token or a
 * password. GitHub doesn't send those back; a proxy or a stand-in might.
 */
export function redacted(text: string): string {
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
  return line.length > longestShown ? `${line.slice(0, longestShown - 3)}...` : line;
}

/** A URL without user information, query and fragment; whatever is no URL is not shown. */
export function redactedUrl(text: string): string {
  try {
    const { protocol, host, pathname } = new URL(text);
    if (host !== '' && /^(https?|ssh|git|socks\w*):$/.test(protocol)) {
      return redacted(`${protocol}//${host}${pathname === '/' ? '' : pathname}`);
    }
  } catch {
    // It may still be how git writes an address.
  }
  const [, rest] = /^git@([\w.-]+:[\w./~-]+)$/.exec(text) ?? [];
  return rest === undefined ? 'a URL that is not shown' : redacted(rest);
}

/** More of a text is not looked at: masking takes time in proportion. In characters. */
const longest = 200_000;

/**
 * A text of others without what looks like a secret: user information in URLs, values of secret query parameters and
 * variables, bearer tokens, keys, and long base64. Hashes of commits and images stay.
 *
 * What is quoted of a Secret goes altogether: say with `secret` that the text is about one.
 */
export function masked(text: string, { secret = false }: { readonly secret?: boolean } = {}): string {
  let result = text.length > longest ? `${wholeWords(text.slice(0, longest))} …` : text;
  if (secret || /\bSecrets?(?:\.v1|) "|Kind=Secret\b|secrets "|\bSecret in version/.test(result)) {
    result = result
      .replace(
        /(?:Invalid|Unsupported|Duplicate) value: (?:"(?:[^"\\]|\\.){0,4000}"?|\{[^\n]{0,8000}|[^\s:]{1,4000})/g,
        (found) => `${found.slice(0, found.indexOf(':'))}: [secret]`,
      )
      .replace(
        /"(?:data|stringData)":\{[^}]{0,8000}\}?/g,
        (found) => `${found.slice(0, found.indexOf('{'))}{[secret]}`,
      )
      .replace(
        /\b(?:data|stringData):map\[[^\]]{0,8000}\]?/g,
        (found) => `${found.slice(0, found.indexOf('['))}[[secret]]`,
      );
  }
  return result
    .replace(/-----BEGIN [^-]{1,60}-----[^-]{0,20000}(?:-----END [^-]{1,60}-----)?/g, '[secret]')
    .replace(/(?<![\w+.-])([\w+.-]{1,20}:\/\/)[^\s/"'`?#]{1,1000}@/g, '$1[secret]@')
    .replace(/([?&][\w-]{1,60}=)([^&\s"'`<>]{1,4000})/g, (found, name: string) =>
      namesSecret(name) || /signature|sig=|code=|key=/i.test(name) ? `${name}[secret]` : found,
    )
    .replace(/(?<![A-Za-z])(Bearer|Basic|token)\s+[\w.~+/=-]{12,4000}/gi, '$1 [secret]')
    .replace(
      /(?<![\w-])([\w.-]{1,120})=("[^"\n]{0,4000}"?|'[^'\n]{0,4000}'?|[^\s,;"'`&]{1,4000})/g,
      (found, name: string) => (namesSecret(name) && !/[?&]/.test(name) ? `${name}=[secret]` : found),
    )
    .replace(/"([\w.-]{1,120})"\s{0,10}:\s{0,10}"(?:[^"\\]|\\.){0,4000}"?/g, (found, name: string) =>
      namesSecret(name) ? `"${name}":"[secret]"` : found,
    )
    .replace(
      /(?<!\w)(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|k8s-aws-v1\.|eyJ)[\w.~+/=-]{10,8000}/g,
      '[secret]',
    )
    .replace(/(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)/g, '[secret]')
    .replace(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}={0,2}/g, (found) =>
      isOpaque(found) ? '[secret]' : found,
    );
}

/** Without the last word, of which a part may be missing. */
function wholeWords(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'), 0));
}

/** Base64, and not a path, a name or the hash of a commit or image: it has letters of both cases and digits, well mixed. */
function isOpaque(text: string): boolean {
  if (/^[0-9a-f-]+$/i.test(text) && !/[g-z]/i.test(text)) {
    return false;
  }
  if (!/[A-Z]/.test(text) || !/[a-z]/.test(text) || !/\d/.test(text)) {
    return false;
  }
  const words = text.split(/[/_-]/).filter(Boolean);
  return words.some(
    (word) => word.length >= 20 && /[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word),
  );
}

/**
 * A masked message on one line, cut in the middle: its beginning says who speaks, its end what is wrong.
 *
 * @param limit in characters, at least 20
 */
export function shortMessage(text: string, limit = 400, options: { readonly secret?: boolean } = {}): string {
  const line = masked(text, options)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (line.length <= limit) {
    return line;
  }
  const head = Math.floor((limit - 3) * 0.4);
  return `${line.slice(0, head)} … ${line.slice(line.length - (limit - 3 - head))}`;
}

/** What stands in place of a secret. */
const secretMark = '[secret]';

/** Shorter ones are words such as "yes": hiding them would hide everything. */
const shortest = 4;

/**
 * Takes secrets out of a text, as they are and in base64: what a chart makes of a value can show up anywhere in the output of
 * Helm, and only Secrets are left out there.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return formsOf(secrets).reduce((left, secret) => left.replaceAll(secret, secretMark), text);
}

/** Longest first, so that no part of a secret is left where another one is contained in it. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .flatMap((secret) => [secret, ...secret.split('\n')])
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Texts and numbers in a value, which stands for a secret as a whole. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') {
    return [String(value)];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
