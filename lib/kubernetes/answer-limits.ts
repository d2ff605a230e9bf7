/**
 * The longest answer, in bytes: 5,000 nodes or 100,000 smaller objects in one page. A JavaScript text has at most 512 million
 * characters.
 */
export const longestAnswer = 256 * 1024 * 1024;

/** Of a log, where the caller sets no limit; in bytes. */
export const longestLog = 64 * 1024 * 1024;

/** How deep an answer may nest: the schema of a custom resource has some dozen levels. */
const deepest = 500;

/** Values of one answer: a short text may stand for many of them, and each takes 50 bytes and more of memory. */
const mostValues = 20_000_000;

/** Objects of one list: a cluster of 5,000 nodes has 150,000 pods at most. */
export const mostObjects = 250_000;

/** All pages of one list together, in bytes. */
export const longestList = 1024 * 1024 * 1024;

/** Pages of one list: 500 objects a page make 500 of them, and a page may hold fewer. */
export const mostPages = 5_000;

/** Of one list with all its pages, in milliseconds. */
export const longestListing = 600_000;

/** Beyond which of the limits a JSON text goes; it is read once, and no call nests. */
export function answerProblem(text: string): string | undefined {
  let [depth, values] = [0, 0];
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case 0x22: // "
        position = endOfText(text, position);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        if (depth > deepest) {
          return `nests deeper than ${deepest} levels`;
        }
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
    }
    if (values > mostValues) {
      return `has more than ${mostValues} values`;
    }
  }
  return undefined;
}

/** Position of the closing quote; the end of the text where there is none. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === 0x5c) {
    first -= 1;
  }
  return (quote - first) % 2 === 1;
}
