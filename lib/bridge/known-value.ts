import * as pulumi from '@pulumi/pulumi';

/** The value behind an output, for a hook: it is called while resources are made. A preview may never know the value. */
export function knownValue<T>(value: pulumi.Input<T>): Promise<T> {
  return new Promise((resolve) => {
    (pulumi.output(value) as pulumi.Output<T>).apply(resolve);
  });
}
