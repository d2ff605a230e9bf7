import type { Document, Pair, ScalarTag, YAMLMap } from 'yaml';
import { FileRefused, readBounded, utf8Text } from '../files/read';
import { InvalidInput } from './problems';
import type { Problem, Problems } from './problems';
import type { PathSteps } from './schema';
import { plainYaml, readYaml, yaml } from './yaml';

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
        .filter((item) => yaml.isScalar(item.key))
        .map((item): [string, Pair] => [String((item.key as { value: unknown }).value), item])
        .reverse(),
    );
    pairs.set(map, known);
  }
  return known.get(key);
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
    const holder = yaml.isAlias(node) ? node.resolve(document) : node;
    const pair = yaml.isMap(holder) ? pairOf(holder, String(step)) : undefined;
    node = pair ? pair.value : yaml.isSeq(holder) ? holder.items[Number(step)] : undefined;
    const place = startOf(pair?.key ?? node);
    if (place === undefined) {
      break;
    }
    offset = place;
  }
  return offset;
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
  const content = plainYaml(document);
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
export const mostTold = 100;

/** The first problems of a file, as many as are told with their places. */
export function firstProblems<One extends Problem>(problems: readonly One[]): readonly One[] {
  return problems.slice(0, mostTold);
}

/** Says how many problems were left out. */
export function moreProblems(file: string, problems: readonly Problem[]): readonly Problem[] {
  const left = problems.length - mostTold;
  return left > 0
    ? [{ path: file, allowed: `without ${left} more problems, which are told after these` }]
    : [];
}
