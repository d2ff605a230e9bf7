import * as pulumi from '@pulumi/pulumi';
import type { Problems, Format } from '../core/validation/problems';

/** Adds a problem for a plain value that its rule does not accept. What only a deployment knows, and what is left out, is not evaluated. */
export function checkInput(problems: Problems, path: string, input: unknown, rule: Format): void {
  if (input !== undefined && !isLater(input)) {
    problems.check(path, input, rule);
  }
}

/** The same for each value of a list or mapping, as far as it is plain. */
export function checkInputs(problems: Problems, path: string, inputs: unknown, rule: Format): void {
  if (inputs === undefined || isLater(inputs)) {
    return;
  }
  if (typeof inputs !== 'object' || inputs === null) {
    problems.add(path, inputs, `several values, each of them ${rule.allowed}`);
    return;
  }
  for (const [key, input] of Object.entries(inputs)) {
    checkInput(problems, Array.isArray(inputs) ? `${path}[${key}]` : `${path}.${key}`, input, rule);
  }
}

function isLater(input: unknown): boolean {
  return pulumi.Output.isInstance(input) || input instanceof Promise;
}

/** The value behind an output, for a hook: it is called while resources are made. A preview may never know the value. */
export function resolvedValue<T>(value: pulumi.Input<T>): Promise<T> {
  return new Promise((resolve) => {
    (pulumi.output(value) as pulumi.Output<T>).apply(resolve);
  });
}

/**
 * The plain value behind an input: `undefined` where a preview does not know it. Outside of `apply` the value of an output
 * is for the engine's eyes alone: what comes from it is neither shown nor stored.
 *
 * @throws whatever the output failed with
 */
export function plainValue<T>(value: pulumi.Input<T>): Promise<T | undefined> {
  const output = pulumi.output(value) as unknown as { promise(): Promise<T | undefined> };
  return output.promise();
}
