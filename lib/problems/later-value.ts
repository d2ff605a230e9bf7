/** Texts that Pulumi makes of an Output where somebody asks for its text or its JSON. */
const outputText = /Calling \[to(String|JSON)\] on an \[Output<T>\]/;

/**
 * Says what a value is that is known only during a deployment, `an Output`; of a value that is known already, nothing. It
 * knows Pulumi's Outputs by their mark, so that it need not load Pulumi.
 *
 * @see https://www.pulumi.com/docs/iac/concepts/inputs-outputs/
 */
export function laterValue(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return outputText.test(value) ? 'a text made of an Output' : undefined;
  }
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return undefined;
  }
  if ((value as { __pulumiOutput?: unknown }).__pulumiOutput === true) {
    return 'an Output';
  }
  return value instanceof Promise ? 'a Promise' : undefined;
}
