/** What a test file started and made, undone in reverse order when it ends. */
const undo: (() => Promise<void> | void)[] = [];

/** Runs when the test file ends, whatever happened. */
export function onCleanUp(step: () => Promise<void> | void): void {
  undo.push(step);
}

/** Undoes everything; one step that fails does not keep the others from running. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  while (undo.length > 0) {
    try {
      await undo.pop()!();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, failures.map(String).join('; '));
  }
}
