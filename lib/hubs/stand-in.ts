import * as pulumi from '@pulumi/pulumi';
import { marker } from '../tokens';

/**
 * A marker in place of an output, which has no value yet when arguments are judged. What is no output stays what it is, so
 * plain text in the place of a secret is seen.
 */
export function standIn<T>(value: pulumi.Input<T>): T {
  return (pulumi.Output.isInstance(value) || value instanceof Promise ? marker(0) : value) as T;
}
