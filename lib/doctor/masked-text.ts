import { namesSecret } from '../problems';

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
