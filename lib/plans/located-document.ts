import type { Document, ErrorCode, ParsedNode, YAMLError } from 'yaml';
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Problem } from '../problems';

/** Where something stands in a file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A YAML or JSON file, with the place of everything in it. */
export interface LocatedDocument {
  /** The content as plain data; undefined where there are problems. */
  readonly value: unknown;
  /** Why it is not readable; each path is a place alone: `3:5`. */
  readonly problems: readonly Problem[];
  /** Where a problem's path begins: `shift.checks[0].cloudWatch.errorShare.max`; of a missing part, where its parent is. */
  placeOf(path: string): Place;
}

/** A file that names one value again and again inside itself can be made to fill the memory. */
const mostAliases = 100;

/** Reads YAML, of which JSON is a part. */
export function locatedDocument(text: string): LocatedDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const found = [...document.errors, ...document.warnings].map((error): Problem => {
    const { line, column } = place(error.pos[0]);
    return { path: `${line}:${column}`, allowed: allowedInstead(error) };
  });
  const read = found.length > 0 ? { problems: found } : content(document);
  return {
    value: undefined,
    ...read,
    placeOf: (path) => place(offsetOf(document, path)),
  };
}

const instead: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'the end of the file: it must have one document',
  DUPLICATE_KEY: 'another key: this one stands there already',
  TAG_RESOLVE_FAILED: 'plain YAML without tags of its own',
};

function allowedInstead({ code, message }: YAMLError): string {
  return instead[code] ?? `readable YAML or JSON: ${message.replace(/\s+/g, ' ')}`;
}

function content(document: Document): Pick<LocatedDocument, 'value' | 'problems'> {
  try {
    const value: unknown = document.toJS({ maxAliasCount: mostAliases });
    if (!isCircular(value, [])) {
      return { value, problems: [] };
    }
  } catch (error) {
    // An alias without an anchor, or too many of them.
    return { value: undefined, problems: [{ path: '1:1', allowed: `a plan without ${aliases(error)}` }] };
  }
  return {
    value: undefined,
    problems: [{ path: '1:1', allowed: 'a plan without a part that contains itself' }],
  };
}

function aliases(error: unknown): string {
  return error instanceof ReferenceError && error.message.startsWith('Excessive')
    ? `hundreds of aliases of one value`
    : `aliases that lead nowhere: ${(error as Error).message}`;
}

function isCircular(value: unknown, parents: readonly unknown[]): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return (
    parents.includes(value) || Object.values(value).some((part) => isCircular(part, [...parents, value]))
  );
}

/** Where the innermost part of the path begins that is there: its key, where it has one. */
function offsetOf(document: Document, path: string): number {
  let node = document.contents as ParsedNode | null;
  let offset = startOf(node) ?? 0;
  let rest = path;
  while (rest !== '') {
    const step = isMap(node) ? mapStep(node, rest) : isSeq(node) ? listStep(node, rest) : undefined;
    if (step === undefined) {
      break;
    }
    offset = step.offset ?? offset;
    rest = step.rest;
    node = (isAlias(step.node) ? step.node.resolve(document) : step.node) as ParsedNode | null;
  }
  return offset;
}

interface Step {
  readonly node: unknown;
  readonly offset: number | undefined;
  readonly rest: string;
}

/** Keys may have dots in them, so the longest one that fits is meant. */
function mapStep(node: unknown, path: string): Step | undefined {
  const fitting = (isMap(node) ? node.items : []).flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : undefined;
    const fits = name !== undefined && path.startsWith(name) && /^([.[]|$)/.test(path.slice(name.length));
    return fits ? [{ name, offset: startOf(key), node: value }] : [];
  });
  const [longest] = fitting.sort((one, other) => other.name.length - one.name.length);
  return longest && { ...longest, rest: path.slice(longest.name.length).replace(/^\./, '') };
}

function listStep(node: unknown, path: string): Step | undefined {
  const [all, index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
  const item: unknown = isSeq(node) && index !== undefined ? node.items[Number(index)] : undefined;
  return item === undefined
    ? undefined
    : { node: item, offset: startOf(item), rest: path.slice(all!.length) };
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
