#!/usr/bin/env node
import { CommanderError } from 'commander';
import { couldNotRun } from './exit-status';
import { endOnInterrupt } from './interrupts';
import { clusterCanary } from './program';
import { reportError } from './report-error';
import { outliveOutput } from './standard-streams';
import { version } from './version';

/** Runs one command line and ends the process with its exit status. */
async function main(argv: readonly string[]): Promise<void> {
  outliveOutput();
  endOnInterrupt();
  try {
    await clusterCanary(version()).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what was wrong; help and version are no errors.
      process.exitCode = error.exitCode === 0 ? 0 : couldNotRun;
      return;
    }
    await reportError(error);
    // The program that was run may still have timers or connections.
    process.exit(couldNotRun);
  }
}

/** What is left to be written to stderr may have no reader; what is on stdout has been taken by then. */
const lastWords = 2_000;

void main(process.argv).finally(() => setTimeout(() => process.exit(), lastWords).unref());
