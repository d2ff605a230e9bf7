import { isDeepStrictEqual } from 'node:util';
import type { Pair, Scalar, YAMLMap } from 'yaml';
import { isPlainObject } from './problems';
import type { PathSteps } from './schema';
import { plainYaml, readYaml, yaml } from './yaml';

/** One value of a file, and what it is to be. */
export interface YamlEdit {
  /** Keys that lead to it, which are there already. */
  readonly path: readonly string[];
  /** Plain data. Of a map in a map's place only the keys that differ are written. */
  readonly value: unknown;
}

/** A file has something that no edit can be made of. */
export class NotEditable extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'NotEditable';
  }
}

/**
 * A YAML or JSON text with other values at some places. All else stays as it is, to the letter: comments, order, spaces, quotes.
 *
 * @throws NotEditable where a place is not there, or where something else would change with it, as an anchor's value does
 */
export function editedYaml(text: string, edits: readonly YamlEdit[]): string {
  const result = edits.reduce((before, { path, value }) => withValue(before, path, value), text);
  if (!isDeepStrictEqual(dataOf(result), edits.reduce(withData, dataOf(text)))) {
    throw new NotEditable('an edit would change something else: an alias stands for it, too');
  }
  return result;
}

function dataOf(text: string): unknown {
  const { document, problems } = readYaml(text);
  const [problem] = problems;
  const read = plainYaml(document);
  if (problem !== undefined || 'reason' in read) {
    throw new NotEditable(`it is no plain YAML: ${problem?.message ?? 'an alias leads nowhere'}`);
  }
  // What an alias stands for is the same object as its anchor; here each place is one of its own.
  return structuredCopy(read.value);
}

function structuredCopy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function withData(data: unknown, { path, value }: YamlEdit): unknown {
  const [key, ...rest] = path;
  return key === undefined
    ? structuredCopy(value)
    : { ...(data as object), [key]: withData((data as Record<string, unknown>)[key], { path: rest, value }) };
}

type Range = readonly [start: number, valueEnd: number, nodeEnd: number];

type Ranged = { readonly range: Range };

/** A map of the text; its items have their places. */
type ReadMap = YAMLMap<Scalar & Ranged, Ranged | null> & Ranged;

/** The text is read again for each value: a file of settings is small, and every offset is of this text. */
function withValue(text: string, path: PathSteps, value: unknown): string {
  const node = nodeAt(text, path);
  if (yaml.isMap(node) && isPlainObject(value) && node.items.length > 0) {
    const map = node as ReadMap;
    const there = map.items.map(({ key }) => String(key.value));
    let result = text;
    for (const [key, each] of Object.entries(value)) {
      result = there.includes(key)
        ? withValue(result, [...path, key], each)
        : withPair(result, nodeAt(result, path) as ReadMap, key, each);
    }
    for (const key of there.filter((each) => !Object.hasOwn(value, each))) {
      result = withoutPair(result, nodeAt(result, path) as ReadMap, key);
    }
    return result;
  }
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(node)), value)) {
    return text;
  }
  return withText(text, node.range, written(value, styleOf(node)));
}

/** A block collection begins on a line of its own and ends at the beginning of the next one: both line breaks are not its own. */
function withText(text: string, [start, end]: Range, value: string): string {
  const before = text.slice(0, start).replace(/:[ \t]*\r?\n[ \t]*$/, ': ');
  const own = text.slice(start, end).trimEnd().length;
  return `${before}${value}${text.slice(start + own)}`;
}

function nodeAt(text: string, path: PathSteps): Ranged {
  const node = readYaml(text).document.getIn(path, true) as Partial<Ranged> | undefined;
  if (!node?.range) {
    throw new NotEditable(`there is no value at ${path.join('.')}`);
  }
  return node as Ranged;
}

type Quotes = "'" | '"';

/** How texts are quoted beside it. */
function styleOf(node: unknown): Quotes {
  return yaml.isScalar(node) && node.type === 'QUOTE_SINGLE' ? "'" : '"';
}

function styleIn(map: ReadMap): Quotes {
  return styleOf(map.items.map(({ value }) => value).find((each) => yaml.isScalar(each)));
}

/** Every version is quoted: 1.30 would be the number 1.3. */
function written(value: unknown, quotes: Quotes): string {
  const isPlain = typeof value === 'string' && /^[^'\\\p{Cc}]*$/u.test(value);
  return isPlain && quotes === "'" ? `'${value}'` : JSON.stringify(value);
}

function keyWritten(key: string, map: ReadMap): string {
  const isQuoted = map.items.some((item) => item.key.type === 'QUOTE_DOUBLE');
  return isQuoted || !/^[A-Za-z][\w-]*$/.test(key) || /^(true|false|null|yes|no|on|off|[yn])$/i.test(key)
    ? JSON.stringify(key)
    : key;
}

function startOf({ key }: Pair<Scalar & Ranged, unknown>): number {
  return key.range[0];
}

function endOf({ key, value }: Pair<Scalar & Ranged, Ranged | null>): number {
  return (value ?? key).range[1];
}

function withPair(text: string, map: ReadMap, key: string, value: unknown): string {
  const pair = `${keyWritten(key, map)}: ${written(value, styleIn(map))}`;
  const last = map.items.at(-1)!;
  if (map.flow) {
    const at = endOf(last);
    return `${text.slice(0, at)},${spaceBefore(text, map)}${pair}${text.slice(at)}`;
  }
  const column = indentOf(text, startOf(map.items[0]!));
  const at = lineEnd(text, endOf(last));
  return `${text.slice(0, at)}\n${column}${pair}${text.slice(at)}`;
}

/** What stands before an item of a flow map: a space, or a line break and spaces. */
function spaceBefore(text: string, map: ReadMap): string {
  const first = text.slice(map.range[0] + 1, startOf(map.items[0]!));
  return first.includes('\n') && first.trim() === '' ? first : ' ';
}

function withoutPair(text: string, map: ReadMap, key: string): string {
  const position = map.items.findIndex((item) => String(item.key.value) === key);
  const item = map.items[position]!;
  if (map.flow) {
    // The first pair goes with the comma after it, another one with the comma before it.
    const [from, to] =
      position === 0
        ? [startOf(item), map.items[1] ? startOf(map.items[1]) : endOf(item)]
        : [endOf(map.items[position - 1]!), endOf(item)];
    return `${text.slice(0, from)}${text.slice(to)}`;
  }
  const from = text.lastIndexOf('\n', startOf(item)) + 1;
  return `${text.slice(0, from)}${text.slice(lineEnd(text, endOf(item)) + 1)}`;
}

/** The end of the line that an item ends in; that of a nested map may be the beginning of the next line. */
function lineEnd(text: string, end: number): number {
  const within = end > 0 && text[end - 1] === '\n' ? end - 1 : end;
  const found = text.indexOf('\n', within);
  return found < 0 ? text.length : found;
}

function indentOf(text: string, start: number): string {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (before.trim() !== '') {
    throw new NotEditable('a map begins on the line of something else');
  }
  return before;
}
