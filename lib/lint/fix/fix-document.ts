import { isDeepStrictEqual } from 'node:util';
import type { Document as YamlDocument, Node } from 'yaml';
import { readYaml, yaml } from '../../core/validation/yaml';
import { applyPatch } from '../changes';
import { parseJsonPointer } from '../object';
import { parseYaml } from '../read/yaml';
import type { JsonPatchOperation } from '../rule';
import { editedText } from './edit-text';
import {
  asNode,
  columnOf,
  endOf,
  jsonSource,
  nodeAt,
  nodeLines,
  spliced,
  styleOf,
  writingOptions,
} from './source-text';
import type { SourceText } from './source-text';

/** A place is an alias, and its anchor is used elsewhere too. */
class Aliased extends Error {}

/**
 * The text with one change, and more or less of it written anew: the collection that the change is in, then those around it,
 * then the whole document. It changes the document that it is given.
 */
function* rewrittenTexts(source: SourceText, change: JsonPatchOperation): Iterable<string> {
  const { text, document, style } = source;
  const steps = parseJsonPointer(change.path);
  const around = steps
    .map((_, length) => nodeAt(document, steps.slice(0, length)))
    .filter((node) => yaml.isMap(node) || yaml.isSeq(node))
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
  const lines = yaml.isCollection(node) && node.flow === true ? [flow(bare, style)] : nodeLines(bare, style);
  const column = yaml.isCollection(node) && node.flow !== true ? columnOf(node) : 0;
  return lines
    .map((line, position) => (position === 0 || line === '' ? line : ' '.repeat(column) + line))
    .join(style.eol);
}

function flow(node: Node, style: SourceText['style']): string {
  const document = new yaml.Document(undefined, { schema: 'failsafe' });
  document.contents = node;
  return document.toString(writingOptions(style)).trim();
}

function apply(document: YamlDocument, change: JsonPatchOperation): void {
  const steps = parseJsonPointer(change.path);
  const path = steps.map((step, position) => {
    const parent: unknown = document.getIn(steps.slice(0, position), true);
    if (yaml.isAlias(parent)) {
      throw new Aliased('the place is an alias, and its anchor is used elsewhere too');
    }
    return yaml.isSeq(parent) && step !== '-' ? Number(step) : step;
  });
  if (change.op === 'remove') {
    document.deleteIn(path);
    return;
  }
  const value = asNode(change.value);
  const parent: unknown = document.getIn(path.slice(0, -1), true);
  if (change.op === 'add' && yaml.isSeq(parent)) {
    const last = path.at(-1);
    parent.items.splice(last === '-' ? parent.items.length : Number(last), 0, value);
    return;
  }
  const old: unknown = document.getIn(path, true);
  if (yaml.isNode(old)) {
    const { comment, commentBefore, spaceBefore } = old;
    Object.assign(value, { comment, commentBefore, spaceBefore });
  }
  document.setIn(path, value);
  if (yaml.isCollection(parent) && parent.flow === true && yaml.isCollection(value)) {
    value.flow = true;
  }
}

/** A fixed text, or why there is none. */
export type Fixed = { readonly text: string } | { readonly reason: string };

/**
 * Writes changes into the text of one document; all that is not changed stays byte for byte, where the text is written in a way
 * that allows it. What comes out is read again, and taken only where it says exactly what the changes ask for.
 *
 * @param text a YAML or JSON document
 */
export function fixDocument(text: string, changes: readonly JsonPatchOperation[]): Fixed {
  try {
    let [fixed, value] = [text, parseYaml(text)];
    const isJson = jsonIs(text);
    const together = allAtOnce(text, changes, value, isJson);
    if (together !== undefined) {
      return { text: together };
    }
    for (const change of changes) {
      const wanted = applyPatch(value, [change]);
      const next = withChange(fixed, change, wanted, isJson);
      if (next === undefined) {
        return { reason: 'the text cannot be changed without changing more than that' };
      }
      [fixed, value] = [next, wanted];
    }
    return { text: fixed };
  } catch (error) {
    return { reason: error instanceof Aliased || error instanceof RangeError ? error.message : whyNot };
  }
}

const whyNot = 'the text cannot be written again';

function jsonIs(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Most changes have nothing to do with each other: then the text is read once for all of them. */
function allAtOnce(
  text: string,
  changes: readonly JsonPatchOperation[],
  before: unknown,
  isJson: boolean,
): string | undefined {
  const wanted = applyPatch(before, changes);
  const source = sourceOf(text, isJson);
  const candidate = source && editedText(source, changes);
  return candidate !== undefined && says(candidate, wanted) ? candidate : undefined;
}

/** The first of the texts that says what is wanted. */
function withChange(
  text: string,
  change: JsonPatchOperation,
  wanted: unknown,
  isJson: boolean,
): string | undefined {
  for (const candidate of candidates(text, change, wanted, isJson)) {
    if (candidate !== undefined && says(candidate, wanted)) {
      return candidate;
    }
  }
  return undefined;
}

function says(text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(parseYaml(text), wanted);
  } catch {
    return false;
  }
}

/** The text with a change, the one with the fewest other differences first. */
function* candidates(
  text: string,
  change: JsonPatchOperation,
  wanted: unknown,
  isJson: boolean,
): Iterable<string | undefined> {
  const source = sourceOf(text, isJson);
  if (source) {
    yield editedText(source, [change]);
  }
  if (isJson) {
    const style = source?.style ?? styleOf(text, readYaml('{}').document, true);
    yield `${jsonSource(wanted, style, '')}${text.endsWith('\n') ? style.eol : ''}`;
  } else if (source) {
    yield* rewrittenTexts(source, change);
  }
}

/** Without types, so that every scalar is what is there, whatever it means to whom. */
function sourceOf(text: string, isJson: boolean): SourceText | undefined {
  // JSON may be indented with tabs, which YAML refuses; a text in it never goes over a line.
  const readable = isJson ? text.replace(/^[ \t]+/gm, (blank) => blank.replaceAll('\t', ' ')) : text;
  const { document, problems } = readYaml(readable, { schema: 'failsafe', keepSourceTokens: true });
  if (problems.length === 0) {
    return { text, document, style: styleOf(text, document, isJson) };
  }
  if (!isJson) {
    throw new Error(problems[0]!.message);
  }
  return undefined;
}
