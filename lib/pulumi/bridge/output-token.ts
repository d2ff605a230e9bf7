import * as pulumi from '@pulumi/pulumi';
import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { allMarkers, marker, splitAtMarkers } from '../../core/tokens';
import { fillText } from './structured-text';

/** The outputs that stand behind the markers of one construct tree. */
class OutputRegistry {
  private rendering = false;
  private readonly outputs: pulumi.Output<unknown>[] = [];

  public constructor(root: IConstruct) {
    root.node.addValidation({
      validate: () => (this.rendering ? [] : unknownValues(root)),
    });
  }

  public add(output: pulumi.Output<unknown>): number {
    return this.outputs.push(output) - 1;
  }

  /** Renders the tree, with markers in it that are an error otherwise. */
  public render<Result>(task: () => Result): Result {
    this.rendering = true;
    try {
      return task();
    } finally {
      this.rendering = false;
    }
  }

  public get(number: number): pulumi.Output<unknown> | undefined {
    return this.outputs[number];
  }
}

const registries = new WeakMap<IConstruct, OutputRegistry>();

/** @internal */
export function outputRegistry(scope: IConstruct): OutputRegistry {
  const root = scope.node.root;
  const registry = registries.get(root) ?? new OutputRegistry(root);
  registries.set(root, registry);
  return registry;
}

/**
 * Puts a Pulumi output into a cdk8s construct. What comes back looks like the value, but is a marker: plain
 * text that may be concatenated, put into JSON (or YAML of several lines) inside a string, or, where the output
 * is no string, stand as a whole value. `Manifests` puts the value back when it registers the objects, escaped
 * for the text it stands in, and a secret stays secret.
 *
 * A value that is already known is answered as it is. A name, a namespace, a key or base64 text can't be made
 * of a marker: `Manifests` refuses it and names the place, and so it does where a marker was cut or changed. (A hash
 * over a marker holds nothing of it, so it can't be recognised: make hashes of what the program knows.) `cdk8s synth`
 * refuses any marker, since it has no deployment to ask.
 *
 * @param scope any construct of the tree that the value goes into
 * @param value an output, or a plain value
 *
 * @example
 * new kplus.ConfigMap(chart, 'cluster', { data: { endpoint: outputToken(chart, cluster.endpoint) } });
 */
export function outputToken<T>(scope: IConstruct, value: pulumi.Input<T>): T {
  if (!pulumi.Output.isInstance(value) && !(value instanceof Promise)) {
    return value;
  }
  const number = outputRegistry(scope).add(pulumi.output(value as pulumi.Input<unknown>));
  // The marker takes the value's place and its type until the bridge swaps it.
  return marker(number) as unknown as T;
}

function unknownValues(root: IConstruct): string[] {
  return root.node
    .findAll()
    .filter((construct): construct is ApiObject => ApiObject.isApiObject(construct))
    .flatMap((object) =>
      allMarkers(object.toJson()).map(
        ({ pointer, why }) => `${object.kind} ${object.name} (${object.node.path}) ${pointer}: ${why}`,
      ),
    );
}

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
