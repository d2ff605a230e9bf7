/** HTML or SVG that is safe to write out: text in it is escaped. Only the functions of this file make it. */
export class Markup {
  public constructor(public readonly text: string) {}
}

/** What is in an element: text, which is escaped, markup, or nothing. */
export type Content = string | number | Markup | undefined | false;

export type Attributes = Readonly<Record<string, string | number | undefined>>;

const empty = new Set(['meta', 'link', 'input', 'br', 'path', 'rect', 'line', 'circle', 'use']);

/**
 * An element of HTML or SVG. Names of elements and attributes are the program's own; values and text may be anybody's.
 *
 * @param attributes those that are `undefined` are left out
 */
export function element(name: string, attributes: Attributes, ...content: readonly Content[]): Markup {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`)
    .join('');
  if (empty.has(name) && content.length === 0) {
    return new Markup(`<${name}${given}/>`);
  }
  return new Markup(`<${name}${given}>${join(content).text}</${name}>`);
}

/** A style sheet of the program's own; nothing in it is escaped. */
export function styleElement(style: string): Markup {
  return new Markup(`<style>${style}</style>`);
}

/** One after the other, with nothing between. */
function join(content: readonly Content[]): Markup {
  return new Markup(content.map(written).join(''));
}

function written(content: Content): string {
  if (content instanceof Markup) {
    return content.text;
  }
  return content === undefined || content === false ? '' : escaped(String(content));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Characters that XML has no place for, and those that turn the direction of the text around them: a name could else
 * show as another one.
 *
 * @see https://www.w3.org/TR/xml/#charsets
 * @see https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const unshowable =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(text: string): string {
  return text.replace(unshowable, '\ufffd').replace(/[&<>"']/g, (character) => entities[character]!);
}
