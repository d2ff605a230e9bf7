import type { Node, Pair } from 'yaml';
import { yaml } from '../../core/validation/yaml';
import { parseJsonPointer } from '../object';
import type { JsonPatchOperation } from '../rule';
import { editFlow, editsInFlow, removedFromFlow } from './edit-flow';
import {
  blockLines,
  columnOf,
  endOf,
  flowText,
  indented,
  isBlock,
  isFilled,
  jsonSource,
  lineEnd,
  lineStart,
  lineText,
  nodeAt,
  positionIn,
  spliced,
  startOf,
} from './source-text';
import type { Parent, SourceText, TextEdit } from './source-text';

/** Where a value stands: behind the key of a map, or as an item of a list. */
interface Slot {
  readonly parent: Parent;
  /** Of the key, or of the dash; in brackets, of the item. */
  readonly start: number;
  /** Behind `:` or `-`. */
  readonly behind: number;
  readonly value: Node;
}

/**
 * The text after changes: nothing else of it is another.
 *
 * @returns nothing where a place is written in a way that is not known here, or one change rests on another
 */
export function editedText(source: SourceText, changes: readonly JsonPatchOperation[]): string | undefined {
  const edits: TextEdit[] = [];
  for (const change of changes) {
    const some = editsOf(source, parseJsonPointer(change.path), change);
    if (!some) {
      return undefined;
    }
    edits.push(...some);
  }
  const inOrder = edits.sort((one, other) => one.start - other.start);
  const isFree = inOrder.every(({ start }, position) => start >= (inOrder[position - 1]?.end ?? 0));
  return isFree ? spliced(source.text, inOrder) : undefined;
}

function editsOf(
  source: SourceText,
  steps: readonly string[],
  change: JsonPatchOperation,
): readonly TextEdit[] | undefined {
  const parent = nodeAt(source.document, steps.slice(0, -1));
  const step = steps.at(-1);
  if (step === undefined || !(yaml.isMap(parent) || yaml.isSeq(parent))) {
    return undefined;
  }
  const position = positionIn(parent, step);
  if (change.op === 'remove') {
    return removal(source, steps, parent, position);
  }
  const isThere = position < parent.items.length;
  if (isThere && (yaml.isMap(parent) || change.op === 'replace')) {
    const slot = slotAt(parent, position);
    return slot && replacement(source, slot, change.value);
  }
  if (parent.flow === true) {
    return editsInFlow(source, parent, step, position, change.value);
  }
  return yaml.isMap(parent)
    ? insertion(source, parent, position, { [step]: change.value })
    : insertion(source, parent, position, [change.value]);
}

function slotAt(parent: Parent, position: number): Slot | undefined {
  const item: unknown = parent.items[position];
  if (yaml.isPair(item)) {
    const colon = item.srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
    return yaml.isNode(item.key) && yaml.isNode(item.value) && colon
      ? { parent, start: startOf(item), behind: colon.offset + 1, value: item.value }
      : undefined;
  }
  if (!yaml.isNode(item)) {
    return undefined;
  }
  if (parent.flow === true) {
    return { parent, start: startOf(item), behind: startOf(item), value: item };
  }
  const dash = dashes(parent)[position];
  return dash === undefined ? undefined : { parent, start: dash, behind: dash + 1, value: item };
}

function dashes({ srcToken }: Parent): readonly number[] {
  const items = srcToken?.type === 'block-seq' ? srcToken.items : [];
  return items.flatMap(({ start }) =>
    start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset),
  );
}

/** Whole lines at the beginning of a line, or behind a text whose last line has no end. */
function linesAt({ text, style: { eol } }: SourceText, position: number, lines: readonly string[]): TextEdit {
  const isOpen = position > 0 && text[position - 1] !== '\n';
  const whole = lines.join(eol);
  return { start: position, end: position, text: isOpen ? eol + whole : whole + eol };
}

/** A new entry or item, in lines of its own. */
function insertion(source: SourceText, parent: Parent, position: number, added: object): readonly TextEdit[] {
  const { text, style } = source;
  const item: unknown = Array.isArray(added) ? added[0] : undefined;
  const last: unknown = parent.items.at(-1);
  const lines =
    yaml.isSeq(parent) && !isFilled(item) && yaml.isScalar(last)
      ? // As the others of the list are quoted.
        [`- ${lineText(item, style, last)}`]
      : blockLines(added, style);
  return [linesAt(source, placeFor(text, parent, position), indented(lines, columnOf(parent)))];
}

/** Behind the item before it, or before the first one and the comments on that. */
function placeFor(text: string, parent: Parent, position: number): number {
  const before: unknown = parent.items[position - 1];
  if (before !== undefined) {
    return lineEnd(text, endOf(text, before as Node | Pair));
  }
  let place = lineStart(text, slotAt(parent, 0)!.start);
  for (;;) {
    const above = lineStart(text, place - 1);
    if (place === 0 || !/^[ \t]*#/.test(text.slice(above, place))) {
      return place;
    }
    place = above;
  }
}

function replacement(source: SourceText, slot: Slot, value: unknown): readonly TextEdit[] | undefined {
  const { text, style } = source;
  const { parent, behind, value: old } = slot;
  const [start, end] = old.range!;
  const isFlow = yaml.isCollection(old) && old.flow === true;
  if (style.json !== undefined) {
    const [indentation = ''] = /^[ \t]*/.exec(text.slice(lineStart(text, start))) ?? [];
    return [{ start, end, text: jsonSource(value, style, indentation) }];
  }
  if (parent.flow === true || (isFlow && isFilled(value))) {
    const written =
      yaml.isScalar(old) && !isFilled(value) ? editFlow(value, old, style) : flowText(value, style);
    return [{ start, end, text: start === end ? ` ${written}` : written }];
  }
  return isFilled(value) ? withBlock(source, slot, value) : withLine(source, slot, value, behind);
}

/** A value of several lines below its key, or behind its dash. */
function withBlock(source: SourceText, slot: Slot, value: object): readonly TextEdit[] {
  const { text, style } = source;
  const { parent, behind, value: old } = slot;
  const [start] = old.range!;
  const end = endOf(text, old);
  const lines = blockLines(value, style);
  const outer = columnOf(parent);
  if (yaml.isCollection(old) && old.flow !== true && yaml.isSeq(old) === Array.isArray(value)) {
    return [{ start, end, text: indented(lines, columnOf(old)).join(style.eol).trimStart() }];
  }
  if (yaml.isSeq(parent)) {
    const written = indented(lines, outer + '- '.length)
      .join(style.eol)
      .trimStart();
    return [{ start: start === end ? behind : start, end, text: start === end ? ` ${written}` : written }];
  }
  const column = Array.isArray(value) && style.listsUnderKeys ? outer : outer + style.step;
  const away = start === end ? [] : [{ start: behind, end, text: '' }];
  return [...away, linesAt(source, lineEnd(text, end), indented(lines, column))];
}

/** A value behind its key or dash: a scalar, `{}` or `[]`. */
function withLine(source: SourceText, slot: Slot, value: unknown, behind: number): readonly TextEdit[] {
  const { text, style } = source;
  const { parent, value: old } = slot;
  const [start] = old.range!;
  const end = endOf(text, old);
  const written = lineText(value, style, old);
  if (start === end) {
    return [{ start: behind, end: behind, text: ` ${written}` }];
  }
  if (isBlock(old) && typeof value === 'string' && value.includes('\n')) {
    const [head = '', ...lines] = blockLines({ k: value }, style);
    return [
      {
        start,
        end,
        text: [head.slice('k: '.length), ...indented(lines, columnOf(parent))].join(style.eol),
      },
    ];
  }
  if (yaml.isCollection(old) && old.flow !== true && lineStart(text, start) > behind) {
    return [
      { start: behind, end: behind, text: ` ${written}` },
      { start: lineStart(text, start), end: lineEnd(text, end), text: '' },
    ];
  }
  return [{ start, end, text: written }];
}

function removal(
  source: SourceText,
  steps: readonly string[],
  parent: Parent,
  position: number,
): readonly TextEdit[] | undefined {
  const { text, document } = source;
  if (position >= parent.items.length) {
    return undefined;
  }
  if (parent.items.length === 1) {
    // Nothing is left of it but that it is there.
    const path = steps.slice(0, -1);
    const outer = nodeAt(document, path.slice(0, -1));
    const slot =
      path.length > 0 && (yaml.isMap(outer) || yaml.isSeq(outer))
        ? slotAt(outer, positionIn(outer, path.at(-1)!))
        : undefined;
    return slot && replacement(source, slot, yaml.isMap(parent) ? {} : []);
  }
  if (parent.flow === true) {
    return removedFromFlow(parent, position);
  }
  const slot = slotAt(parent, position);
  if (!slot) {
    return undefined;
  }
  const before = text.slice(lineStart(text, slot.start), slot.start);
  const end = lineEnd(text, endOf(text, slot.value));
  if (/^ *$/.test(before)) {
    return [{ start: slot.start - before.length, end, text: '' }];
  }
  // What follows takes its place behind the dash.
  const [blank = ''] = /^\s*/.exec(text.slice(end)) ?? [];
  return /^[ -]*$/.test(before) && position === 0
    ? [{ start: slot.start, end: end + blank.length, text: '' }]
    : undefined;
}
