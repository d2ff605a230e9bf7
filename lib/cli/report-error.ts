import { hangingLines, writeLastNotes } from './output';

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

/**
 * Says on stderr what went wrong; a stack of ours only where nobody expected the error. An error may have several lines, of
 * which others wrote some: only the first begins where lines of this command do.
 */
export function reportError(error: unknown): Promise<void> {
  const { name, message, stack } = error as Error;
  const expected = expectedErrors.has(name) || isSystemError(error);
  return writeLastNotes(...hangingLines(`error: ${expected ? message : (stack ?? message)}`));
}

/** What the operating system answers to the opening or writing of a file. */
function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
