import * as pulumi from '@pulumi/pulumi';

/** The value behind an output, for a hook: it is called while resources are made. A preview may never know the value. */
export function knownValue<T>(value: pulumi.Input<T>): Promise<T> {
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
