import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { yaml } from '../../core/validation/yaml';
import { plainScalar } from '../read/kubernetes-schema';

/** A document with its text. */
export interface SourceText {
  readonly text: string;
  /** Read with its tokens, without types. */
  readonly document: Document;
  readonly style: TextStyle;
}

/** What takes the place of a piece of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Parent = YAMLMap | YAMLSeq;

/** @param edits in the order of the text */
export function spliced(text: string, edits: readonly TextEdit[]): string {
  let [result, at] = ['', 0];
  for (const { start, end, text: piece } of edits) {
    result += text.slice(at, start) + piece;
    at = end;
  }
  return result + text.slice(at);
}

/** A step at a time: an alias on the way has no place of its own. */
export function nodeAt(document: Document, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((node, step) => {
    if (!yaml.isMap(node) && !yaml.isSeq(node)) {
      return undefined;
    }
    const item: unknown = node.items[positionIn(node, step)];
    return yaml.isPair(item) ? item.value : item;
  }, document.contents);
}

/** Behind the last one where there is none. */
export function positionIn(parent: Parent, step: string): number {
  if (yaml.isSeq(parent)) {
    return step === '-' ? parent.items.length : Number(step);
  }
  const found = parent.items.findIndex(({ key }) => yaml.isScalar(key) && key.value === step);
  return found < 0 ? parent.items.length : found;
}

export function startOf(item: Node | Pair): number {
  return yaml.isPair(item) ? startOf(item.key as Node) : item.range![0];
}

/** Behind the last character of a value, what follows in its line left out. */
export function endOf(text: string, item: Node | Pair): number {
  if (yaml.isPair(item)) {
    return endOf(text, (item.value ?? item.key) as Node);
  }
  if (yaml.isCollection(item) && item.flow !== true && item.items.length > 0) {
    return endOf(text, item.items.at(-1) as Node | Pair);
  }
  const [start, end] = item.range!;
  const piece = text.slice(start, end);
  // Blank lines at the end of a block belong to it where it keeps them (`|+`).
  return isBlock(item) && !/^[|>]\d*\+/.test(piece) ? start + piece.trimEnd().length : end;
}

export function isBlock(node: Node): node is Scalar {
  return (
    yaml.isScalar(node) && (node.type === yaml.Scalar.BLOCK_LITERAL || node.type === yaml.Scalar.BLOCK_FOLDED)
  );
}

/** Where the next line begins. */
export function lineEnd(text: string, position: number): number {
  const next = text[position - 1] === '\n' ? position - 1 : text.indexOf('\n', position);
  return next < 0 ? text.length : next + 1;
}

export function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1;
}

/** How a document is written, as what is put into it is to be. */
export interface TextStyle {
  /** What ends a line. */
  readonly eol: string;
  /** Columns from a map to one in it. */
  readonly step: number;
  /** Whether a list begins where the key above it does. */
  readonly listsUnderKeys: boolean;
  /** Whether braces and brackets stand apart from what is in them. */
  readonly isPadded: boolean;
  /** Whether it is JSON: with its indentation, `''` for all in one line. */
  readonly json?: string;
}

export function styleOf(text: string, document: Document, isJson: boolean): TextStyle {
  const [, indent = ''] = /^[{[]\r?\n([ \t]+)/.exec(text.trimStart()) ?? [];
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    step: stepOf(document),
    listsUnderKeys: hasListUnderKey(text),
    isPadded: isPadded(text),
    ...(isJson ? { json: indent } : {}),
  };
}

const usualStep = 2;

/** Of the first map that is in another one. */
function stepOf(document: Document): number {
  let found: number | undefined;
  yaml.visit(document, {
    Pair: (_, { value }, path) => {
      const outer = path.at(-1);
      if (yaml.isMap(value) && yaml.isMap(outer) && value.flow !== true && outer.flow !== true) {
        const step = columnOf(value) - columnOf(outer);
        found = step > 0 ? step : undefined;
      }
      return found === undefined ? undefined : yaml.visit.BREAK;
    },
  });
  return found ?? usualStep;
}

/** Column of the keys or dashes of a map or list in block style, from 0. */
export function columnOf(node: Node): number {
  const token = node.srcToken;
  if (token === undefined || !('indent' in token)) {
    throw new TypeError('a node without its source');
  }
  return token.indent;
}

/** Line by line: one expression would try every `:` with every `#`. */
function hasListUnderKey(text: string): boolean {
  const lines = text.split('\n');
  return lines.some((line, position) => {
    const [, indent] = /^( *)[^\s#-]/.exec(line) ?? [];
    return (
      indent !== undefined &&
      lines[position + 1]?.startsWith(`${indent}- `) === true &&
      /:[ \t\r]*(?:#|$)/.test(line.slice(indent.length + 1))
    );
  });
}

/** Most braces and brackets decide. */
function isPadded(text: string): boolean {
  return (text.match(/[[{] /g) ?? []).length > (text.match(/[[{][^\s\]}]/g) ?? []).length;
}

/** How the `yaml` package is to write. */
export function writingOptions({ step, listsUnderKeys, isPadded: padded }: TextStyle): {
  readonly lineWidth: 0;
  readonly indent: number;
  readonly indentSeq: boolean;
  readonly flowCollectionPadding: boolean;
} {
  return { lineWidth: 0, indent: step, indentSeq: !listsUnderKeys, flowCollectionPadding: padded };
}

/** Scalars as texts that Kubernetes' readers take for what is meant. Without types, as documents are read here. */
export function asNode(value: unknown): Node {
  const node: unknown = new yaml.Document(undefined, { schema: 'failsafe' }).createNode(asTexts(value));
  if (!yaml.isNode(node)) {
    throw new TypeError('no value');
  }
  return node;
}

function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(asTexts);
  }
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, each]) => [asTexts(key), asTexts(each)]));
  }
  const scalar = new yaml.Scalar(typeof value === 'string' ? value : JSON.stringify(value));
  if (typeof value === 'string' && plainScalar(value) !== undefined) {
    scalar.type = yaml.Scalar.QUOTE_DOUBLE;
  }
  return scalar;
}

/** A node as the `yaml` package writes it, in lines. */
export function nodeLines(node: Node, style: TextStyle): string[] {
  const document = new yaml.Document(undefined, { schema: 'failsafe' });
  document.contents = node;
  return document.toString(writingOptions(style)).replace(/\n$/, '').split('\n');
}

/** Whether a value takes lines of its own in block style. */
export function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The lines of a value in block style, the first one at column 0. */
export function blockLines(value: object, style: TextStyle): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const [first = '', ...rest] = isFilled(item) ? blockLines(item, style) : pairLines(item, style);
      return [`- ${first}`, ...indented(rest, isFilled(item) ? '- '.length : style.step)];
    });
  }
  return Object.entries(value).flatMap(([key, each]) => {
    const name = lineText(key, style, undefined);
    if (!isFilled(each)) {
      const [first = '', ...rest] = pairLines(each, style);
      return [`${name}: ${first}`, ...indented(rest, style.step)];
    }
    const column = Array.isArray(each) && style.listsUnderKeys ? 0 : style.step;
    return [`${name}:`, ...indented(blockLines(each, style), column)];
  });
}

/** A scalar behind its key; one of several lines as a block. */
function pairLines(value: unknown, style: TextStyle): string[] {
  const [first = '', ...rest] = nodeLines(asPair(asNode(value)), style);
  return [first.slice('k: '.length), ...rest.map((line) => line.slice(style.step))];
}

export function indented(lines: readonly string[], column: number): string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(column) + line));
}

/** A value in one line, as it may be in braces. */
export function flowText(value: unknown, style: TextStyle): string {
  const document = new yaml.Document(undefined, { schema: 'failsafe' });
  document.contents = asNode([value]);
  Object.assign(document.contents, { flow: true });
  yaml.visit(document, {
    // In one line, as JSON has it.
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.includes('\n')) {
        scalar.type = yaml.Scalar.QUOTE_DOUBLE;
      }
    },
  });
  const options = { ...writingOptions(style), doubleQuotedMinMultiLineLength: Infinity };
  return document.toString(options).trim().slice(1, -1).trim();
}

/** A scalar, or what is empty, behind a key or a dash; quoted as what it takes the place of. */
export function lineText(value: unknown, style: TextStyle, like: Node | undefined): string {
  if (typeof value === 'string' && value.includes('\n')) {
    return JSON.stringify(value);
  }
  const node = asNode(value);
  if (typeof value === 'string' && yaml.isScalar(like) && yaml.isScalar(node) && isQuoted(like)) {
    node.type = like.type!;
  }
  const [line = ''] = nodeLines(asPair(node), style);
  return line.slice('k: '.length);
}

function asPair(node: Node): Node {
  const map = asNode({ k: null });
  if (yaml.isMap(map)) {
    map.items[0]!.value = node;
  }
  return map;
}

export function isQuoted({ type }: Scalar): boolean {
  return type === yaml.Scalar.QUOTE_DOUBLE || type === yaml.Scalar.QUOTE_SINGLE;
}

/** A value of a document in JSON, its later lines behind an indentation. */
export function jsonSource(value: unknown, { json = '', eol }: TextStyle, indentation: string): string {
  return JSON.stringify(value, null, json).replaceAll('\n', eol + indentation);
}
