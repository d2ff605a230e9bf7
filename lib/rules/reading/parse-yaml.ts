import type { State } from 'js-yaml';
import { load } from 'js-yaml';
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
  /** Is told where every value begins and ends. @default - nobody is, which is faster */
  readonly listener?: (event: 'open' | 'close', state: State) => void;
}

/**
 * One YAML document as Kubernetes reads it, fast and without positions.
 *
 * @throws YAMLException where it is no YAML
 */
export function parseYaml(text: string, { repeatedKeys = false, listener }: Reading = {}): unknown {
  return load(text, { ...options, json: repeatedKeys, ...(listener ? { listener } : {}) });
}
