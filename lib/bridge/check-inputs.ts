import * as pulumi from '@pulumi/pulumi';
import type { Problems, Rule } from '../problems';

/** Adds a problem for a plain value that its rule does not accept. What only a deployment knows, and what is left out, is not judged. */
export function checkInput(problems: Problems, path: string, input: unknown, rule: Rule): void {
  if (input !== undefined && !isLater(input)) {
    problems.check(path, input, rule);
  }
}

/** The same for each value of a list or mapping, as far as it is plain. */
export function checkInputs(problems: Problems, path: string, inputs: unknown, rule: Rule): void {
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
