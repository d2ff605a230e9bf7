import type { Document, ErrorCode, ParsedNode, YAMLMap } from 'yaml';
import { LineCounter, isAlias, isMap, isSeq, parseDocument } from 'yaml';
import type { Problem } from '../problems';
import { pairOf, settingsFaults } from '../problems';

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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faults = [...document.errors, ...document.warnings, ...settingsFaults(document.contents)];
  const found = faults.map((error): Problem => {
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

function allowedInstead({ code, message }: { readonly code: ErrorCode; readonly message: string }): string {
  return instead[code] ?? `readable YAML or JSON: ${message.replace(/\s+/g, ' ')}`;
}

function content(document: Document): Pick<LocatedDocument, 'value' | 'problems'> {
  try {
    const value: unknown = document.toJS({ maxAliasCount: mostAliases });
    if (!isCircular(value, new Set())) {
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

function isCircular(value: unknown, parents: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  if (parents.has(value)) {
    return true;
  }
  parents.add(value);
  const found = Object.values(value).some((part) => isCircular(part, parents));
  parents.delete(value);
  return found;
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

/** Keys with more dots in them are not found. */
const mostDots = 100;

/** Keys may have dots in them, so the longest one that fits is meant. */
function mapStep(map: YAMLMap, path: string): Step | undefined {
  const ends: number[] = [];
  for (const { index } of path.matchAll(/[.[]|$/g)) {
    ends.push(index);
    if (ends.length > mostDots) {
      break;
    }
  }
  for (const end of ends.reverse()) {
    const pair = pairOf(map, path.slice(0, end));
    if (pair !== undefined) {
      return { node: pair.value, offset: startOf(pair.key), rest: path.slice(end).replace(/^\./, '') };
    }
  }
  return undefined;
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
