import { Command } from 'commander';
import { refuseEmptyPaths } from './options';
import { widthOf } from './output';

/** A command line of these commands. It throws Commander's errors instead of ending the process. */
export function commandLine(version: string, commands: readonly Command[]): Command {
  const program = new Command('cluster-canary')
    .description('Whole EKS clusters as canaries: plan a fleet, move its traffic, and try both first.')
    .version(version)
    .configureHelp({ sortSubcommands: true })
    .addHelpText('after', examples)
    .configureOutput({
      getOutHelpWidth: () => widthOf(process.stdout),
      getErrHelpWidth: () => widthOf(process.stderr),
    })
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmptyPaths(command));
  commands.forEach((command) => program.addCommand(command));
  hintAtHelp(program, program.name());
  return program;
}

/** Commander gives settings only to commands that it makes itself; these come from files of their own. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Run ${path} --help for what there is.`);
  for (const each of command.commands) {
    const ownHelp = each.configureHelp();
    each.copyInheritedSettings(command).configureHelp({ ...command.configureHelp(), ...ownHelp });
    hintAtHelp(each, `${path} ${each.name()}`);
  }
}

const examples = `
Examples:
  cluster-canary preview infrastructure
  cluster-canary simulate plan.yaml --scenario outage.yaml
  cluster-canary shift plan.yaml --dry-run

Every command has --help with examples of its own.

Exit status: 0 all is well; 1 it ran, and something is wrong, or its result could not be written; 2 it could not
run (bad input, unreachable); 130 interrupted.`;
