import type { ScalarTag } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { FileRefused, readBounded } from '../files';
import type { Problems } from '../problems';

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
    text = readBounded(file).toString('utf8');
  } catch (error) {
    const why = error instanceof FileRefused ? error.reason : (error as NodeJS.ErrnoException).code;
    problems.addAll([{ path: shown, allowed: `a readable file (${why})` }]);
    return undefined;
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter, customTags });
  const wrong = [...document.errors, ...document.warnings];
  for (const { pos, message } of wrong) {
    const { line, col } = lineCounter.linePos(pos[0]);
    problems.addAll([{ path: `${shown}:${line}:${col}`, allowed: `valid YAML: ${firstLine(message)}` }]);
  }
  if (wrong.length > 0) {
    return undefined;
  }
  let value: unknown;
  try {
    value = document.toJS() ?? undefined;
  } catch (error) {
    problems.addAll([{ path: shown, allowed: `valid YAML: ${firstLine((error as Error).message)}` }]);
    return undefined;
  }
  return {
    value,
    at: (path) => {
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? shown : `${shown}:${lineCounter.linePos(offset).line}`;
    },
  };
}

/** Where the last step of a path is written; the last one that is there, if it isn't. */
function offsetOf(node: unknown, path: readonly (string | number)[]): number | undefined {
  const [step, ...rest] = path;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair && (offsetOf(pair.value, rest) ?? (isScalar(pair.key) ? pair.key.range?.[0] : undefined));
  }
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step] as { range?: [number, number, number] } | undefined;
    return item && (offsetOf(item, rest) ?? item.range?.[0]);
  }
  return undefined;
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? '';
}
