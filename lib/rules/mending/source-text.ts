import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isCollection, isMap, isPair, isScalar, isSeq, Scalar } from 'yaml';
import type { TextStyle } from './text-style';

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
    if (!isMap(node) && !isSeq(node)) {
      return undefined;
    }
    const item: unknown = node.items[positionIn(node, step)];
    return isPair(item) ? item.value : item;
  }, document.contents);
}

/** Behind the last one where there is none. */
export function positionIn(parent: Parent, step: string): number {
  if (isSeq(parent)) {
    return step === '-' ? parent.items.length : Number(step);
  }
  const found = parent.items.findIndex(({ key }) => isScalar(key) && key.value === step);
  return found < 0 ? parent.items.length : found;
}

export function startOf(item: Node | Pair): number {
  return isPair(item) ? startOf(item.key as Node) : item.range![0];
}

/** Behind the last character of a value, what follows in its line left out. */
export function endOf(text: string, item: Node | Pair): number {
  if (isPair(item)) {
    return endOf(text, (item.value ?? item.key) as Node);
  }
  if (isCollection(item) && item.flow !== true && item.items.length > 0) {
    return endOf(text, item.items.at(-1) as Node | Pair);
  }
  const [start, end] = item.range!;
  const piece = text.slice(start, end);
  // Blank lines at the end of a block belong to it where it keeps them (`|+`).
  return isBlock(item) && !/^[|>]\d*\+/.test(piece) ? start + piece.trimEnd().length : end;
}

export function isBlock(node: Node): node is Scalar {
  return isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
}

/** Where the next line begins. */
export function lineEnd(text: string, position: number): number {
  const next = text[position - 1] === '\n' ? position - 1 : text.indexOf('\n', position);
  return next < 0 ? text.length : next + 1;
}

export function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1;
}
