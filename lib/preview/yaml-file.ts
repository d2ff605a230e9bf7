import type { Pair, ScalarTag, YAMLMap } from 'yaml';
import { isMap, isScalar, isSeq } from 'yaml';
import { FileRefused, readBounded, utf8Text } from '../files';
import type { Problems } from '../problems';
import { plainValue, readYaml as readText } from '../reading';

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
export function readYaml(
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
  const { document, lines, problems: wrong } = readText(text, { customTags });
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
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? shown : `${shown}:${lines.linePos(offset).line}`;
    },
  };
}

const known = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** Kept, since a file may have as many problems as keys. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const pairs =
    known.get(map) ??
    new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])));
  known.set(map, pairs);
  return pairs;
}

/** Where the last step of a path is written; the last one that is there, if it isn't. */
function offsetOf(node: unknown, path: readonly (string | number)[]): number | undefined {
  const [step, ...rest] = path;
  if (isMap(node)) {
    const pair = pairsOf(node).get(String(step));
    return pair && (offsetOf(pair.value, rest) ?? (isScalar(pair.key) ? pair.key.range?.[0] : undefined));
  }
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step] as { range?: [number, number, number] } | undefined;
    return item && (offsetOf(item, rest) ?? item.range?.[0]);
  }
  return undefined;
}
