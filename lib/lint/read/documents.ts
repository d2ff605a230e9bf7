import type { State } from 'js-yaml';
import { parseJsonPointer } from '../object';
import type { ObjectSource, RepeatedKey } from '../object';
import { parseYaml } from './yaml';

/** One document of a YAML text. */
export interface DocumentText {
  readonly text: string;
  /** Line of its beginning, from 1: the one with `---` where there is one. */
  readonly line: number;
  /** Where it begins and ends in the text. */
  readonly start: number;
  readonly end: number;
}

/** Ends a document wherever it is, in a block of text too: https://yaml.org/spec/1.2.2/#912-document-markers */
const marker = /(?<=^|\n)(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;

/** The documents of a YAML text, each to be read alone: what is wrong in one leaves the others as they are. */
export function splitDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let [start, line] = [0, 1];
  let isMarked = false;
  const end = (at: number): void => {
    const piece = text.slice(start, at);
    if (hasContent(piece)) {
      documents.push({ text: piece, line, start, end: at });
    }
    line += newlines(text, start, at);
    start = at;
  };
  for (const { 0: sign, index } of text.matchAll(marker)) {
    const begins = sign === '---';
    if (begins && !isMarked && startsWithDirective(text, start)) {
      // Directives are before the marker of their document.
      isMarked = true;
      continue;
    }
    end(index);
    isMarked = begins;
    // The end marker itself belongs to no document.
    start += begins ? 0 : sign.length;
  }
  end(text.length);
  return documents;
}

/** Whether a piece has anything but blank lines, comments and its own marker. */
function hasContent(piece: string): boolean {
  return /^(?!---[ \t]*(?:#.*)?$)[ \t]*[^\s#]/m.test(piece);
}

/** Whether a piece begins with a directive such as `%YAML 1.2`, behind comments and blank lines. */
function startsWithDirective(text: string, start: number): boolean {
  directive.lastIndex = start;
  return directive.test(text);
}

const directive = /(?:[ \t]*(?:#.*)?\r?\n)*%/y;

function newlines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}

/** A value of a document, where it begins, and what was read inside of it, in the order of the text. */
interface Place {
  /** From 0. */
  readonly line: number;
  readonly inside: Place[];
  value: unknown;
}

/** Finds lines in one document. */
interface Locator {
  /**
   * Line of what a JSON pointer names, from 0, or of the nearest value around it that is there. A value in a map begins
   * with its key.
   */
  lineOf(pointer: string): number;
}

/**
 * Reads a document again, this time with positions. It takes some times as long as without.
 *
 * @throws YAMLException where it is no YAML
 */
export function locate(text: string): Locator {
  const root: Place = { line: 0, inside: [], value: undefined };
  const open: Place[] = [root];
  const listener = (event: 'open' | 'close', state: State): void => {
    if (event === 'open') {
      const place: Place = { line: state.line, inside: [], value: undefined };
      open.at(-1)!.inside.push(place);
      open.push(place);
    } else if (open.length > 1) {
      open.pop()!.value = state.result;
    }
  };
  // JSON may be indented with tabs, which YAML refuses; a text in it never goes over a line.
  const readable = text.startsWith('{') ? text.replace(/^\t+/gm, (tabs) => ' '.repeat(tabs.length)) : text;
  root.value = parseYaml(readable, { repeatedKeys: true, listener });
  return { lineOf: (pointer) => lineOf(root, parseJsonPointer(pointer)) };
}

function lineOf(root: Place, steps: readonly string[]): number {
  const document = root.inside.at(-1);
  if (document === undefined) {
    return 0;
  }
  let place = document;
  let line = firstLine(document);
  for (const step of steps) {
    const found = stepInto(place, step);
    if (found === undefined) {
      break;
    }
    ({ line, place } = found);
  }
  return line;
}

/** A map begins where its first key does, which is behind its anchor or tag. */
function firstLine(place: Place): number {
  return place.inside[0]?.line ?? place.line;
}

/**
 * The parser tells of values and not of pairs, and it may have taken a scalar for the beginning of a map before. So a pair
 * is taken for one only where both its values are those that the map has.
 */
function stepInto(place: Place, step: string): { line: number; place: Place } | undefined {
  const { inside, value } = unwrapped(place);
  if (Array.isArray(value)) {
    const wanted: unknown = value[Number(step)];
    const item = inside[inside.length - value.length + Number(step)];
    return item !== undefined && Object.is(item.value, wanted) ? { line: item.line, place: item } : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
    return undefined;
  }
  const wanted = (value as Readonly<Record<string, unknown>>)[step];
  // Of a key that occurs twice the last one counts.
  const found = positionsOf(inside).get(step) ?? [];
  for (let last = found.length - 1; last >= 0; last -= 1) {
    const [key, place] = [inside[found[last]!]!, inside[found[last]! + 1]!];
    if (Object.is(place.value, wanted)) {
      return { line: key.line, place };
    }
  }
  return undefined;
}

const positions = new WeakMap<readonly Place[], ReadonlyMap<string, readonly number[]>>();

/** Where each text is that may be a key. Made once: a map of many keys may have a finding at every one of them. */
function positionsOf(inside: readonly Place[]): ReadonlyMap<string, readonly number[]> {
  let found = positions.get(inside) as Map<string, number[]> | undefined;
  if (found === undefined) {
    found = new Map();
    for (let position = 0; position < inside.length - 1; position += 1) {
      const { value } = inside[position]!;
      // Keys of other kinds become a text in the value that was read, as they do here.
      const name = typeof value === 'object' && value !== null ? '[object Object]' : String(value);
      const known = found.get(name);
      if (known) {
        known.push(position);
      } else {
        found.set(name, [position]);
      }
    }
    positions.set(inside, found);
  }
  return found;
}

/** A map or list in braces is first taken for the key of a map: then it is in itself. */
function unwrapped(place: Place): Place {
  const inner = place.inside.at(-1);
  return inner !== undefined && typeof inner.value === 'object' && inner.value === place.value
    ? unwrapped(inner)
    : place;
}

/** A file, or what else a text comes from. */
export interface TextSource {
  /** As findings name it. */
  readonly file: string;
  /** The text, read again where it was not kept. */
  read(): string;
}

/** One document of a file. Its text is not kept: it is read again for the few objects with findings. */
export class SourceDocument {
  public constructor(
    public readonly source: TextSource,
    /** From 0. */
    public readonly position: number,
    private readonly span: Omit<DocumentText, 'text'>,
  ) {}

  /** Line of a JSON pointer of the document, from 1. */
  public lineOf(pointer: string): number {
    return this.span.line + (locatorOf(this)?.lineOf(pointer) ?? 0);
  }

  /** @throws Error where the file can't be read any more */
  public read(): string {
    return textOf(this.source).slice(this.span.start, this.span.end);
  }

  /** The place of an object in it. */
  public place(pointer: string, repeatedKeys: readonly RepeatedKey[] = []): ObjectSource {
    return new PlaceInDocument(this, pointer, repeatedKeys);
  }
}

/** A file may hold thousands of documents: its text is read once for all of them that follow each other. */
let lastRead: { readonly source: TextSource; readonly text: string } | undefined;

function textOf(source: TextSource): string {
  if (lastRead?.source !== source) {
    lastRead = { source, text: source.read() };
  }
  return lastRead.text;
}

/** Findings are asked for their lines document by document, so the last one is kept. */
let last: { readonly document: SourceDocument; readonly locator: Locator | undefined } | undefined;

function locatorOf(document: SourceDocument): Locator | undefined {
  if (last?.document !== document) {
    last = { document, locator: located(document) };
  }
  return last.locator;
}

/** The file may have changed since, or be gone. */
function located(document: SourceDocument): Locator | undefined {
  try {
    return locate(document.read());
  } catch {
    return undefined;
  }
}

class PlaceInDocument implements ObjectSource {
  public constructor(
    private readonly of: SourceDocument,
    public readonly pointer: string,
    public readonly repeatedKeys: readonly RepeatedKey[],
  ) {}

  public get file(): string {
    return this.of.source.file;
  }

  public get document(): number {
    return this.of.position;
  }

  public get line(): number {
    return this.of.lineOf(this.pointer);
  }

  public lineOf(pointer: string): number {
    return this.of.lineOf(this.pointer + pointer);
  }
}
