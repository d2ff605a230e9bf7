import { isPlainObject } from '../validation/problems';
import type { KubernetesObject, ObjectKind } from './api';
import { KubernetesError } from './errors';

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
export const mostValues = 20_000_000;

/** Objects of one list: a cluster of 5,000 nodes has 150,000 pods at most. */
const mostObjects = 250_000;

/** All pages of one list together, in bytes. */
const longestList = 1024 * 1024 * 1024;

/** Pages of one list: 500 objects a page make 500 of them, and a page may hold fewer. */
const mostPages = 5_000;

/** Of one list with all its pages, in milliseconds. */
const longestListing = 600_000;

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

/** Puts the pages of a list together, within bounds: a server may answer with pages that never end. */
export class ListReader {
  /** Objects of the pages so far; whoever takes them out needs no memory for the whole list. */
  public readonly objects: KubernetesObject[] = [];
  /** Token of the next page; empty where there is none. */
  public next = '';
  private readonly tokens = new Set<string>();
  private readonly begun: number;
  private length = 0;
  private count = 0;

  /** @param asked server and request, for errors */
  public constructor(
    private readonly kind: ObjectKind,
    private readonly asked: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.begun = now();
  }

  /**
   * Takes over a page.
   *
   * @param length of the answer, in characters
   * @throws KubernetesError `faulty` for what is no page, and beyond a limit
   */
  public add(page: unknown, length: number): void {
    const { items, metadata } = isPlainObject(page) ? page : {};
    // A list without items says so, with an empty list or null; what says nothing of them is no list.
    if (!Array.isArray(items) && items !== null) {
      throw this.faulty('the answer is no list; is this an API server?');
    }
    // One by one: a list in one page may have more items than a call takes arguments.
    for (const item of (items ?? []) as readonly unknown[]) {
      if (!isPlainObject(item) || !isPlainObject(item.metadata)) {
        throw this.faulty('an item of the list is no object; is this an API server?');
      }
      // Lists name the kind once, for all of their items.
      const { apiVersion, kind } = this.kind;
      this.objects.push({ ...(item as KubernetesObject), apiVersion, kind });
      this.count += 1;
    }
    const token = (isPlainObject(metadata) ? metadata.continue : undefined) ?? '';
    if (typeof token !== 'string') {
      throw this.faulty('the list names its next page by something that is no text');
    }
    this.length += length;
    this.next = token;
    this.checkLimits();
    this.tokens.add(token);
  }

  private checkLimits(): void {
    if (this.count > mostObjects) {
      throw this.faulty(`the list has more than ${mostObjects} objects, which is more than is read`);
    }
    if (this.next === '') {
      return;
    }
    if (this.tokens.has(this.next)) {
      throw this.faulty('the list names the same next page again');
    }
    const most = [
      [this.length, longestList, 'characters'],
      [this.tokens.size + 1, mostPages, 'pages'],
      [(this.now() - this.begun) / 1000, longestListing / 1000, 'seconds'],
    ] as const;
    for (const [value, limit, what] of most) {
      if (value >= limit) {
        throw this.faulty(`the list did not end within ${limit} ${what}`);
      }
    }
  }

  private faulty(what: string): KubernetesError {
    return new KubernetesError('faulty', `${this.asked}: ${what}`);
  }
}
