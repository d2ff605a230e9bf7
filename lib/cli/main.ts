#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { hardenCommand } from './commands/harden';
import { clustersCommand } from './commands/clusters';
import { doctorCommand } from './commands/doctor';
import { drainCommand } from './commands/drain';
import { guardClocksCommand } from './commands/guard-clocks';
import { lintCommand } from './commands/lint';
import { previewCommand } from './commands/preview';
import { rekeyCommand } from './commands/rekey';
import { restartRolloutCommand } from './commands/restart-rollout';
import { shiftCommand } from './commands/shift';
import { simulateCommand } from './commands/simulate';
import { couldNotRun } from './exit-status';
import { endOnInterrupt } from './interrupts';
import { reportError } from './report-error';

/** Runs one command line and ends the process with its exit status. */
async function main(argv: readonly string[]): Promise<void> {
  endOnInterrupt();
  const program = new Command('cluster-canary')
    .description('Whole EKS clusters as canaries: plan a fleet, move its traffic, and try both first.')
    .version(version())
    .showHelpAfterError('Run cluster-canary --help for what there is.')
    .configureHelp({ sortSubcommands: true })
    .exitOverride();
  for (const command of [
    guardClocksCommand(),
    hardenCommand(),
    clustersCommand(),
    doctorCommand(),
    drainCommand(),
    lintCommand(),
    previewCommand(),
    rekeyCommand(),
    restartRolloutCommand(),
    shiftCommand(),
    simulateCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  try {
    await program.parseAsync(argv);
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

function version(): string {
  const manifest = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

void main(process.argv);
