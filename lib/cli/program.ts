import { Command } from 'commander';
import { clustersCommand } from './commands/clusters';
import { doctorCommand } from './commands/doctor';
import { drainCommand } from './commands/drain';
import { guardClocksCommand } from './commands/guard-clocks';
import { hardenCommand } from './commands/harden';
import { lintCommand } from './commands/lint';
import { previewCommand } from './commands/preview';
import { rekeyCommand } from './commands/rekey';
import { restartRolloutCommand } from './commands/restart-rollout';
import { shiftCommand } from './commands/shift';
import { simulateCommand } from './commands/simulate';
import { refuseEmptyPaths } from './empty-paths';
import { widthOf } from './output';

/** The whole command line. It throws Commander's errors instead of ending the process. */
export function clusterCanary(version: string): Command {
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
  for (const command of [
    clustersCommand(),
    doctorCommand(),
    drainCommand(),
    guardClocksCommand(),
    hardenCommand(),
    lintCommand(),
    previewCommand(),
    rekeyCommand(),
    restartRolloutCommand(),
    shiftCommand(),
    simulateCommand(),
  ]) {
    program.addCommand(command);
  }
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
