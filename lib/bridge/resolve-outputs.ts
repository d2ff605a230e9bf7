import * as pulumi from '@pulumi/pulumi';
import { splitAtMarkers } from '../tokens';
import { fillText } from './structured-text';

/** Where the outputs behind markers are found. */
export interface OutputSource {
  get(number: number): pulumi.Output<unknown> | undefined;
}

/**
 * An object with every marker replaced by its output: a string that holds markers becomes one output of the
 * filled text. Everything else stays plain, so a secret covers no more than the text that it stands in.
 *
 * @param key the key that the value stands under, which may tell its format
 * @throws Error for a marker of another construct tree
 */
export function resolveOutputs(value: unknown, source: OutputSource, key = ''): unknown {
  if (typeof value === 'string') {
    return resolveText(value, source, key);
  }
  if (Array.isArray(value)) {
    return value.map((each) => resolveOutputs(each, source));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, below]) => [name, resolveOutputs(below, source, name)]),
    );
  }
  return value;
}

function resolveText(text: string, source: OutputSource, key: string): unknown {
  const numbers = [...new Set(splitAtMarkers(text).filter((part) => typeof part === 'number'))];
  if (numbers.length === 0) {
    return text;
  }
  const outputs = numbers.map((number) => {
    const output = source.get(number);
    if (!output) {
      throw new Error(
        `the output in "${key}" belongs to another cdk8s app: make its token with a construct of this one`,
      );
    }
    return output;
  });
  return pulumi
    .all(outputs)
    .apply((values) =>
      fillText(text, new Map(numbers.map((number, position) => [number, values[position]])), key),
    );
}
