#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { previewCommand } from './commands/preview';
import { couldNotRun, interrupted } from './exit-status';
import { reportError } from './report-error';

/** Runs one command line and ends the process with its exit status. */
async function main(argv: readonly string[]): Promise<void> {
  process.once('SIGINT', () => process.exit(interrupted));
  const program = new Command('cluster-canary')
    .description('Whole EKS clusters as canaries: plan a fleet offline.')
    .version(version())
    .showHelpAfterError('Run cluster-canary --help for what there is.')
    .configureHelp({ sortSubcommands: true })
    .exitOverride();
  program.addCommand(previewCommand().copyInheritedSettings(program));
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
