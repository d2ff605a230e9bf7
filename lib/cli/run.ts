import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { endOnInterrupt } from './interrupts';
import { couldNotRun, reportError, version } from './output';
import { outliveOutput } from './standard-streams';

/** What is left to be written to stderr may have no reader; what is on stdout has been taken by then. */
const lastWords = 2_000;

/** Runs the command line of this process and ends it with the exit status. */
export function run(commandLine: (version: string) => Command): void {
  void parsed(commandLine).finally(() => setTimeout(() => process.exit(), lastWords).unref());
}

async function parsed(commandLine: (version: string) => Command): Promise<void> {
  outliveOutput();
  endOnInterrupt();
  try {
    await commandLine(version()).parseAsync(process.argv);
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
