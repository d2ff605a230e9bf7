import * as pulumi from '@pulumi/pulumi';

/** Whether an output, or a promise, stands anywhere in a value. */
export function holdsOutputs(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return (
    pulumi.Output.isInstance(value) || value instanceof Promise || Object.values(value).some(holdsOutputs)
  );
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
