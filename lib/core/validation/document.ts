import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Document, Pair, ParsedNode, ScalarTag, YAMLMap } from 'yaml';
import { FileRefused, readBounded, utf8Text } from '../files/read';
import { InvalidInput } from './problems';
import type { Problem, Problems } from './problems';
import type { PathSteps } from './schema';
import { plainValue, readYaml } from './yaml';
import type { YamlProblem } from './yaml';

/** Files of settings have some kilobytes; what is wrong in them is looked up in all of the file. In characters. */
const longest = 250_000;

/**
 * Refuses a file of settings that is longer than any that somebody writes.
 *
 * @throws InvalidInput where it has more than 250,000 characters
 */
export function checkLength(text: string, file: string): void {
  if (text.length > longest) {
    const allowed = `a file of at most ${longest} characters; it has ${text.length}`;
    throw new InvalidInput(file, [{ path: file, allowed }]);
  }
}

const pairs = new WeakMap<object, ReadonlyMap<string, Pair>>();

/** The pair of a map by its key, as text. Many are looked up in one map, one for every problem of a file. */
function pairOf(map: YAMLMap, key: string): Pair | undefined {
  let known = pairs.get(map);
  if (known === undefined) {
    // Of a key that stands twice, the first one.
    known = new Map(
      map.items
        .filter((item) => isScalar(item.key))
        .map((item): [string, Pair] => [String((item.key as { value: unknown }).value), item])
        .reverse(),
    );
    pairs.set(map, known);
  }
  return known.get(key);
}

/** Where something stands in a file; both count from 1. */
export interface TextPosition {
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
  placeOf(path: string): TextPosition;
}

/** Reads YAML, of which JSON is a part. */
export function locatedDocument(text: string): LocatedDocument {
  const { document, lines, problems } = readYaml(text);
  const place = (offset: number): TextPosition => {
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

/**
 * Where the innermost part begins that is there of what the steps lead to: its key, where it has one.
 *
 * @returns nothing where not even the first step is there
 */
export function offsetAt(document: Document, steps: PathSteps): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const step of steps) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(holder) ? pairOf(holder, String(step)) : undefined;
    node = pair ? pair.value : isSeq(holder) ? holder.items[Number(step)] : undefined;
    const place = startOf(pair?.key ?? node);
    if (place === undefined) {
      break;
    }
    offset = place;
  }
  return offset;
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

/** The contents of a YAML (or JSON) file. */
export interface YamlFile {
  /** The contents as plain data; undefined for an empty file. */
  readonly value: unknown;
  /** The file with the line of a key or item in it, as far as the path leads: `Pulumi.yaml:3`. */
  at(path: readonly (string | number)[]): string;
}

/**
 * Reads a YAML file. What is wrong is added to the problems with file, line and column, but without the text of
 * the line, which may hold a secret.
 *
 * @param file where it is
 * @param shown how problems name it
 * @returns nothing where there was a problem
 */
export function readYamlFile(
  file: string,
  shown: string,
  problems: Problems,
  customTags: ScalarTag[] = [],
): YamlFile | undefined {
  let text: string;
  try {
    text = utf8Text(readBounded(file), file);
  } catch (error) {
    const why = error instanceof FileRefused ? error.reason : (error as NodeJS.ErrnoException).code;
    problems.addAll([{ path: shown, allowed: `a readable file (${why})` }]);
    return undefined;
  }
  const { document, lines, problems: wrong } = readYaml(text, { customTags });
  for (const { offset, message } of wrong) {
    const { line, col } = lines.linePos(offset);
    const place = `${shown}:${Math.max(1, line)}:${Math.max(1, col)}`;
    problems.addAll([{ path: place, allowed: `valid YAML: ${message}` }]);
  }
  if (wrong.length > 0) {
    return undefined;
  }
  const content = plainValue(document);
  if ('reason' in content) {
    problems.addAll([{ path: shown, allowed: `valid YAML without ${content.reason}` }]);
    return undefined;
  }
  return {
    value: content.value ?? undefined,
    at: (path) => {
      const offset = offsetAt(document, path);
      return offset === undefined ? shown : `${shown}:${lines.linePos(offset).line}`;
    },
  };
}

/** To find the place of each takes a walk over the file, and nobody reads more. */
const most = 100;

/** The first problems of a file, as many as are told with their places. */
export function firstProblems<One extends Problem>(problems: readonly One[]): readonly One[] {
  return problems.slice(0, most);
}

/** Says how many problems were left out. */
export function moreProblems(file: string, problems: readonly Problem[]): readonly Problem[] {
  const left = problems.length - most;
  return left > 0
    ? [{ path: file, allowed: `without ${left} more problems, which are told after these` }]
    : [];
}
