import type { Rule } from './rules';

/** A text of a certain form. */
export function textRule(expression: RegExp, allowed: string): Rule {
  return { allowed, accepts: (value) => typeof value === 'string' && expression.test(value) };
}

/** Any text with something in it. */
export const someText: Rule = textRule(/\S/, 'a text that is not empty');

/** A proxy's URL, without a login in it. */
export const proxyUrl: Rule = textRule(
  /^(https?|socks5):\/\/[^\s/@?#]+\/?$/,
  'a URL that starts with "http://", "https://" or "socks5://", without user information',
);
