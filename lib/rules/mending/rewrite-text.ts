import type { Document, Node } from 'yaml';
import { Document as YamlDocument, isAlias, isCollection, isMap, isNode, isSeq } from 'yaml';
import type { Change } from '../change';
import { stepsOf } from '../json-pointer';
import { endOf, nodeAt, spliced } from './source-text';
import type { SourceText } from './source-text';
import { asNode, nodeLines, columnOf, writingOptions } from './text-style';

/** A place is an alias, and what it stands for is used elsewhere too. */
export class Aliased extends Error {}

/**
 * The text with one change, and more or less of it written anew: the collection that the change is in, then those around it,
 * then the whole document. It changes the document that it is given.
 */
export function* rewrittenTexts(source: SourceText, change: Change): Iterable<string> {
  const { text, document, style } = source;
  const steps = stepsOf(change.path);
  const around = steps
    .map((_, length) => nodeAt(document, steps.slice(0, length)))
    .filter((node) => isMap(node) || isSeq(node))
    .map((node) => ({ node, start: node.range![0], end: endOf(text, node) }));
  apply(document, change);
  for (const { node, start, end } of around.slice(1).reverse()) {
    yield spliced(text, [{ start, end, text: written(node, source) }]);
  }
  yield document.toString(writingOptions(style)).replaceAll('\n', style.eol);
}

/** Comments before and behind it, an anchor and a tag are not in its range. */
function written(node: Node, { style }: SourceText): string {
  const bare = node.clone() as Node & { anchor?: string };
  Object.assign(bare, { commentBefore: undefined, comment: undefined, spaceBefore: false, tag: undefined });
  delete bare.anchor;
  const lines = isCollection(node) && node.flow === true ? [flow(bare, style)] : nodeLines(bare, style);
  const column = isCollection(node) && node.flow !== true ? columnOf(node) : 0;
  return lines
    .map((line, position) => (position === 0 || line === '' ? line : ' '.repeat(column) + line))
    .join(style.eol);
}

function flow(node: Node, style: SourceText['style']): string {
  const document = new YamlDocument(undefined, { schema: 'failsafe' });
  document.contents = node;
  return document.toString(writingOptions(style)).trim();
}

function apply(document: Document, change: Change): void {
  const steps = stepsOf(change.path);
  const path = steps.map((step, position) => {
    const parent: unknown = document.getIn(steps.slice(0, position), true);
    if (isAlias(parent)) {
      throw new Aliased('the place is an alias, and what it stands for is used elsewhere too');
    }
    return isSeq(parent) && step !== '-' ? Number(step) : step;
  });
  if (change.op === 'remove') {
    document.deleteIn(path);
    return;
  }
  const value = asNode(change.value);
  const parent: unknown = document.getIn(path.slice(0, -1), true);
  if (change.op === 'add' && isSeq(parent)) {
    const last = path.at(-1);
    parent.items.splice(last === '-' ? parent.items.length : Number(last), 0, value);
    return;
  }
  const old: unknown = document.getIn(path, true);
  if (isNode(old)) {
    const { comment, commentBefore, spaceBefore } = old;
    Object.assign(value, { comment, commentBefore, spaceBefore });
  }
  document.setIn(path, value);
  if (isCollection(parent) && parent.flow === true && isCollection(value)) {
    value.flow = true;
  }
}
