import type { State } from 'js-yaml';
import { load, YAMLException } from 'js-yaml';
import { aliasProblem } from '../../reading';
import { deepestNesting } from './depth';
import { kubernetesSchema } from './schema';

/** Bounds the work that merge keys (`<<`) make in one document. */
const mostMergedKeys = 100_000;

const options = {
  schema: kubernetesSchema,
  maxDepth: deepestNesting,
  maxTotalMergeKeys: mostMergedKeys,
};

/** How a document is read. */
export interface Reading {
  /** Whether of a key that stands twice the last one counts. @default false - it is an error */
  readonly repeatedKeys?: boolean;
  /**
   * Is told where every value begins and ends.
   *
   * @default - nobody is, which is faster
   * @internal whoever compiles against this package need not have the types of its parser
   */
  readonly listener?: (event: 'open' | 'close', state: State) => void;
}

/**
 * A document is YAML, and its aliases stand for more than anybody can write out.
 *
 * @internal as is the parser's own error that it extends
 */
export class AliasExpansion extends YAMLException {}

/**
 * One YAML document as Kubernetes reads it, fast and without positions.
 *
 * @throws YAMLException where it is no YAML, or its aliases name a value in itself, or very many values
 */
export function parseYaml(text: string, reading: Reading = {}): unknown {
  const { repeatedKeys = false, listener } = reading;
  const value: unknown = load(text, { ...options, json: repeatedKeys, ...(listener ? { listener } : {}) });
  // A text without an anchor has no aliases.
  const problem = text.includes('&') ? aliasProblem(value) : undefined;
  if (problem !== undefined) {
    throw new AliasExpansion(problem);
  }
  return value;
}
