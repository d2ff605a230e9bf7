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
