/** By name: their classes are in rooms that a command may not have loaded. */
const expectedErrors = new Set([
  'AwsError',
  'FileRefused',
  'InvalidInput',
  'KubernetesError',
  'LeaseTaken',
  'NewerLease',
  'PreviewFailed',
  'RouterError',
]);

/** Says on stderr what went wrong; a stack of ours only where nobody expected the error. */
export function reportError(error: unknown): Promise<void> {
  const { name, message, stack } = error as Error;
  const expected = expectedErrors.has(name) || isSystemError(error);
  const text = `error: ${expected ? message : (stack ?? message)}\n`;
  return new Promise((resolve) => process.stderr.write(text, () => resolve()));
}

/** What the operating system answers to the opening or writing of a file. */
function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
