import { YAMLException, load } from 'js-yaml';
import type { State } from 'js-yaml';
import type { Scalar, YAMLMap } from 'yaml';
import { whyNotUtf8 } from '../../core/files/read';
import { aliasProblem, yaml } from '../../core/validation/yaml';
import type { RepeatedKey } from '../object';
import { kubernetesSchema, plainScalar } from './kubernetes-schema';

/**
 * How deep the values of an object may nest: Kubernetes' own nest less deep, and what is much deeper is made to break
 * readers.
 */
const deepestNesting = 500;

/** Whether values nest deeper than that. Level by level, since a walk that calls itself would break as well. */
export function nestsTooDeep(value: unknown): boolean {
  let level = containersAmong([value]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepestNesting) {
      return true;
    }
    level = level.flatMap((each) => containersAmong(Object.values(each)));
  }
  return false;
}

function containersAmong(values: readonly unknown[]): object[] {
  return values.filter((each): each is object => typeof each === 'object' && each !== null);
}

/** Bounds the work that merge keys (`<<`) make in one document. */
const mostMergedKeys = 100_000;

const options = {
  schema: kubernetesSchema,
  maxDepth: deepestNesting,
  maxTotalMergeKeys: mostMergedKeys,
};

/** How a document is read. */
export interface YamlDocument {
  /** Whether of a key that occurs twice the last one counts. @default false - it is an error */
  readonly repeatedKeys?: boolean;
  /**
   * Called with where every value begins and ends.
   *
   * @default - not called, which is faster
   * @internal whoever compiles against this package need not have the types of its parser
   */
  readonly listener?: (event: 'open' | 'close', state: State) => void;
}

/**
 * A document is YAML, and its aliases expand to more than can be written out.
 *
 * @internal as is the parser's own error that it extends
 */
export class AliasExpansion extends YAMLException {}

/**
 * One YAML document as Kubernetes reads it, fast and without positions.
 *
 * @throws YAMLException where it is no YAML, or its aliases name a value in itself, or very many values
 */
export function parseYaml(text: string, reading: YamlDocument = {}): unknown {
  const { repeatedKeys = false, listener } = reading;
  const value: unknown = load(text, { ...options, json: repeatedKeys, ...(listener ? { listener } : {}) });
  // A text without an anchor has no aliases.
  const problem = text.includes('&') ? aliasProblem(value) : undefined;
  if (problem !== undefined) {
    throw new AliasExpansion(problem);
  }
  return value;
}

/**
 * The keys of a document that are in a map where they were before, each with its line in the document, from 0. Time in
 * proportion to the keys: the parser's own check holds each against every other.
 */
export function repeatedKeys(text: string): RepeatedKey[] {
  const lineCounter = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const found: RepeatedKey[] = [];
  yaml.visit(document, {
    Map: (_, map: YAMLMap) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key) || key.source === '<<') {
          continue;
        }
        const name = nameOf(key);
        if (seen.has(name)) {
          found.push({ key: name, line: lineCounter.linePos(key.range?.[0] ?? 0).line - 1 });
        }
        seen.add(name);
      }
    },
  });
  // Maps inside of a map come before its other keys.
  return found.sort((one, other) => one.line - other.line);
}

/** As an object has it: `yes` and `true` are the same key. */
function nameOf({ type, source = '', value }: Scalar): string {
  return String(type === 'PLAIN' ? (plainScalar(source) ?? source) : value).split('\n')[0]!;
}

/**
 * The text of a file.
 *
 * @returns why it is none, where it is binary
 */
export function decodeText(bytes: Buffer):
  | {
      /** The text. */
      readonly text: string;
    }
  | {
      /** Why it is no text. */
      readonly reason: string;
    } {
  const reason = whyNotUtf8(bytes);
  return reason === undefined ? { text: bytes.toString('utf8') } : { reason };
}
