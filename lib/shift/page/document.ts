import { element } from '../report/parts';
import type { Content } from '../report/parts';

/** What a served page may load, and what it may be part of. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What every answer says. A form needs an origin, which `no-referrer` would take from it. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
};

/** How often a page without JavaScript is loaded anew, in seconds. */
const refreshSeconds = 5;

/** What a page is made of. */
export interface PageDocument {
  readonly title: string;
  readonly content: readonly Content[];
  /** Address of the parts that a script keeps up to date. @default - the page stays as it is */
  readonly parts?: string;
}

/** A whole page. */
export function documentOf({ title, content, parts }: PageDocument): string {
  const { text } = element(
    'html',
    { lang: 'en' },
    element(
      'head',
      {},
      element('meta', { charset: 'utf-8' }),
      element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      element('meta', { name: 'robots', content: 'noindex' }),
      element('title', {}, title),
      element('link', { rel: 'icon', href: 'data:,' }),
      element('link', { rel: 'stylesheet', href: '/page.css' }),
      parts !== undefined && element('script', { src: '/page.js', defer: 'defer' }),
      parts !== undefined &&
        element('noscript', {}, element('meta', { 'http-equiv': 'refresh', content: refreshSeconds })),
    ),
    element('body', {}, element('div', { class: 'page', 'data-parts': parts }, ...content)),
  );
  return `<!DOCTYPE html>\n${text}\n`;
}

/** A page that says one thing. */
export function notePage(title: string, lines: readonly string[], back = '/'): string {
  return documentOf({
    title,
    content: [
      element('header', {}, element('h1', {}, title)),
      element(
        'main',
        {},
        ...lines.map((line) => element('p', { class: 'note' }, line)),
        element('p', { class: 'note' }, element('a', { href: back }, 'To the shift')),
      ),
    ],
  });
}
