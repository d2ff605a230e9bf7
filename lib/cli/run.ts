import { CommanderError } from 'commander';
import { endOnInterrupt } from './interrupts';
import { couldNotRun, reportError } from './output';
import { outliveOutput } from './standard-streams';

/** What is left to be written to stderr may have no reader; what is on stdout has been taken by then. */
const lastWords = 2_000;

/** Does what the command line of this process asks for, and ends it with the exit status. */
export function run(act: () => Promise<unknown>): void {
  void done(act).finally(() => setTimeout(() => process.exit(), lastWords).unref());
}

/** Does it, and leaves the exit status to the process. */
export async function done(act: () => Promise<unknown>): Promise<void> {
  outliveOutput();
  endOnInterrupt();
  try {
    await act();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what was wrong; help and version are no errors.
      if (error.exitCode !== 0) {
        process.exitCode = couldNotRun;
      }
      return;
    }
    await reportError(error);
    // The program that was run may still have timers or connections.
    process.exit(couldNotRun);
  }
}
