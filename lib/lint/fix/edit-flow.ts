import type { Node, Pair, Scalar } from 'yaml';
import { yaml } from '../../core/validation/yaml';
import { endOf, flowText, isQuoted, jsonSource, startOf } from './source-text';
import type { Parent, SourceText, TextEdit, TextStyle } from './source-text';

/** A scalar within braces, quoted as the one in whose place it is. */
export function editFlow(value: unknown, like: Scalar, style: TextStyle): string {
  if (typeof value !== 'string' || !isQuoted(like)) {
    return flowText(value, style);
  }
  const isSimple = like.type === yaml.Scalar.QUOTE_SINGLE && !/['\n]/.test(value);
  return isSimple ? `'${value}'` : JSON.stringify(value);
}

/** A new entry or item of a map or list in braces. */
export function editsInFlow(
  source: SourceText,
  parent: Parent,
  step: string,
  position: number,
  value: unknown,
): readonly TextEdit[] {
  const { text } = source;
  const items = parent.items as readonly (Node | Pair)[];
  const [start, end] = parent.range!;
  if (items.length === 0) {
    return [{ start, end, text: filled(source, parent, step, value) }];
  }
  const separator = separatorOf(source, parent);
  const written = itemText(source, parent, step, value, separator);
  const next = items[position];
  const at = next ? startOf(next) : endOf(text, items.at(-1)!);
  return [{ start: at, end: at, text: next ? written + separator : separator + written }];
}

export function removedFromFlow(parent: Parent, position: number): readonly TextEdit[] {
  const items = parent.items as readonly (Node | Pair)[];
  const next = items[position + 1];
  return [
    next
      ? { start: startOf(items[position]!), end: startOf(next), text: '' }
      : { start: flowEnd(items[position - 1]!), end: flowEnd(items[position]!), text: '' },
  ];
}

function flowEnd(item: Node | Pair): number {
  return yaml.isPair(item) ? ((item.value ?? item.key) as Node).range![1] : item.range![1];
}

/** An empty one with its first entry or item. */
function filled({ text, style }: SourceText, parent: Parent, step: string, value: unknown): string {
  const whole = yaml.isMap(parent) ? { [step]: value } : [value];
  if (style.json === undefined) {
    return flowText(whole, style);
  }
  const line = text.slice(text.lastIndexOf('\n', startOf(parent)) + 1);
  return jsonSource(whole, style, /^[ \t]*/.exec(line)![0]);
}

/** What is between two items. */
function separatorOf({ text, style }: SourceText, parent: Parent): string {
  const items = parent.items as readonly (Node | Pair)[];
  const [one, other] = items.slice(-2);
  const between = one && other ? text.slice(endOf(text, one), startOf(other)) : '';
  if (/^,\s*$/.test(between)) {
    return between;
  }
  const before = text.slice(parent.range![0] + 1, startOf(items[0]!));
  return /^\s*\n\s*$/.test(before) ? `,${before}` : style.json === '' ? ',' : ', ';
}

function itemText(
  { text, style }: SourceText,
  parent: Parent,
  step: string,
  value: unknown,
  separator: string,
): string {
  const last: unknown = parent.items.at(-1);
  const key: unknown = yaml.isPair(last) ? last.key : last;
  const isQuotedTwice = yaml.isScalar(key) && key.type === yaml.Scalar.QUOTE_DOUBLE;
  if (style.json === undefined && !isQuotedTwice) {
    return yaml.isMap(parent)
      ? flowText({ [step]: value }, { ...style, isPadded: false }).slice(1, -1)
      : flowText(value, style);
  }
  const [, indentation = ''] = /\n([ \t]*)$/.exec(separator) ?? [];
  const written =
    style.json === undefined && typeof value === 'object'
      ? JSON.stringify(value)
      : jsonSource(value, style, indentation);
  return yaml.isPair(last) ? JSON.stringify(step) + colonOf(text, last) + written : written;
}

function colonOf(text: string, { key, value }: Pair): string {
  const gap = value ? text.slice((key as Node).range![1], startOf(value as Node)) : '';
  return /^:\s*$/.test(gap) ? gap : ': ';
}
