import { takeInterrupts } from './interrupts';
import { interruptedStatus, writeNotes } from './output';

/**
 * Runs the work of a command that an interrupt ends, which then is the exit status.
 *
 * @param work sets the exit status
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupts = takeInterrupts(() => writeNotes('Interrupted.'));
  const { signal } = interrupts;
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    process.exitCode = interruptedStatus;
  } finally {
    interrupts.release();
  }
}
