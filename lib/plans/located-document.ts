import type { Document, ParsedNode, YAMLMap } from 'yaml';
import { isAlias, isMap, isSeq } from 'yaml';
import type { Problem } from '../problems';
import type { YamlProblem } from '../reading';
import { pairOf, plainValue, readYaml } from '../reading';

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

/** Reads YAML, of which JSON is a part. */
export function locatedDocument(text: string): LocatedDocument {
  const { document, lines, problems } = readYaml(text);
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const found = problems.map((problem): Problem => {
    const { line, column } = place(problem.offset);
    return { path: `${line}:${column}`, allowed: allowedInstead(problem) };
  });
  const read = found.length > 0 ? { problems: found } : content(document);
  return {
    value: undefined,
    ...read,
    placeOf: (path) => place(offsetOf(document, path)),
  };
}

const instead: Partial<Record<YamlProblem['code'], string>> = {
  MULTIPLE_DOCS: 'the end of the file: it must have one document',
  DUPLICATE_KEY: 'another key: this one stands there already',
  TAG_RESOLVE_FAILED: 'plain YAML without tags of its own',
};

function allowedInstead({ code, message }: YamlProblem): string {
  return instead[code] ?? `readable YAML or JSON: ${message}`;
}

function content(document: Document): Pick<LocatedDocument, 'value' | 'problems'> {
  const read = plainValue(document);
  return 'reason' in read
    ? { value: undefined, problems: [{ path: '1:1', allowed: `a plan without ${read.reason}` }] }
    : { value: read.value, problems: [] };
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
