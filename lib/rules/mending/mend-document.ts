import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'yaml';
import { isAlias, isCollection, isNode, isSeq, Scalar } from 'yaml';
import { readYaml } from '../../reading';
import type { Change } from '../change';
import { stepsOf } from '../json-pointer';
import { parseYaml } from '../reading/parse-yaml';
import { plainScalar } from '../reading/schema';
import { changed } from './apply-changes';

/** A mended text, or why there is none. */
export type Mended = { readonly text: string } | { readonly reason: string };

/**
 * Writes changes into the text of one document; comments and the order of keys stay. What comes out is read again, and taken
 * only where it says exactly what the changes ask for.
 *
 * @param text a YAML or JSON document
 */
export function mendDocument(text: string, changes: readonly Change[]): Mended {
  try {
    const before = parseYaml(text);
    const wanted = changed(before, changes);
    const mended = isJson(text) ? mendJson(text, wanted) : mendYaml(text, changes);
    return isDeepStrictEqual(parseYaml(mended), wanted)
      ? { text: mended }
      : { reason: 'the text can not be changed without changing more than that' };
  } catch (error) {
    return { reason: error instanceof Aliased || error instanceof RangeError ? error.message : whyNot };
  }
}

const whyNot = 'the text can not be written again';

class Aliased extends Error {}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mendJson(text: string, wanted: unknown): string {
  const [, indent = ''] = /^[{[]\r?\n([ \t]+)/.exec(text.trimStart()) ?? [];
  return `${JSON.stringify(wanted, null, indent)}${text.endsWith('\n') ? '\n' : ''}`;
}

function mendYaml(text: string, changes: readonly Change[]): string {
  // Without types, so that every scalar is written as it stands there, whatever it means to whom.
  const { document, problems } = readYaml(text, { schema: 'failsafe' });
  if (problems.length > 0) {
    throw new Error(problems[0]!.message);
  }
  for (const change of changes) {
    apply(document, change);
  }
  return document.toString({
    lineWidth: 0,
    indentSeq: !hasListUnderKey(text),
    flowCollectionPadding: isPadded(text),
  });
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
    closeUp(document.getIn(path.slice(0, -1), true));
    return;
  }
  const value = document.createNode(asTexts(change.value));
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

/** Whether a list begins where the key above it does. Line by line: one expression would try every `:` with every `#`. */
function hasListUnderKey(text: string): boolean {
  const lines = text.split('\n');
  return lines.some((line, position) => {
    const [, indent] = /^( *)[^\s#-]/.exec(line) ?? [];
    return (
      indent !== undefined &&
      lines[position + 1]?.startsWith(`${indent}- `) === true &&
      /:[ \t]*(?:#|$)/.test(line.slice(indent.length + 1))
    );
  });
}

/** Whether most braces and brackets stand apart from what is in them. */
function isPadded(text: string): boolean {
  return (text.match(/[[{] /g) ?? []).length > (text.match(/[[{][^\s\]}]/g) ?? []).length;
}

/** No blank line stands before the first item. */
function closeUp(parent: unknown): void {
  const first: unknown = isSeq(parent) ? parent.items[0] : undefined;
  if (isNode(first)) {
    first.spaceBefore = false;
  }
}

/** Scalars as texts that Kubernetes' readers take for what is meant. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(asTexts);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asTexts(each)]));
  }
  const scalar = new Scalar(typeof value === 'string' ? value : JSON.stringify(value));
  if (typeof value === 'string' && plainScalar(value) !== undefined) {
    scalar.type = Scalar.QUOTE_DOUBLE;
  }
  return scalar;
}
