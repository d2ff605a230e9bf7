import type { Command } from 'commander';
import { commandLine } from './command-line';
import { caRotationCommand } from './commands/ca-rotation';
import { clustersCommand } from './commands/clusters';
import { demoCommand } from './commands/demo';
import { doctorCommand } from './commands/doctor';
import { drainCommand } from './commands/drain';
import { evacuateCommand } from './commands/evacuate';
import { guardClocksCommand } from './commands/guard-clocks';
import { hardenCommand } from './commands/harden';
import { historyCommand } from './commands/history';
import { lintCommand } from './commands/lint';
import { previewCommand } from './commands/preview';
import { readyCommand } from './commands/ready';
import { reportCommand } from './commands/report';
import { restartRolloutCommand } from './commands/restart-rollout';
import { shiftCommand } from './commands/shift';
import { simulateCommand } from './commands/simulate';
import { swapCommand } from './commands/swap';
import { watchCommand } from './commands/watch';

/** Every command. Each loads what it does when it is run. */
export const commands: readonly (() => Command)[] = [
  clustersCommand,
  demoCommand,
  doctorCommand,
  drainCommand,
  evacuateCommand,
  guardClocksCommand,
  hardenCommand,
  historyCommand,
  lintCommand,
  previewCommand,
  caRotationCommand,
  readyCommand,
  reportCommand,
  restartRolloutCommand,
  shiftCommand,
  simulateCommand,
  swapCommand,
  watchCommand,
];

/** The whole command line. It throws Commander's errors instead of ending the process. */
export function clusterCanary(version: string): Command {
  return commandLine(
    version,
    commands.map((make) => make()),
  );
}
