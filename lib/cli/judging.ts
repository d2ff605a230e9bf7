import { commandLine } from './command-line';
import { hardenCommand } from './commands/harden';
import { lintCommand } from './commands/lint';
import { run } from './run';

const commands = { lint: lintCommand, harden: hardenCommand } as const;

/** The commands that check manifests alone. */
export type JudgingCommand = keyof typeof commands;

/** `cluster-canary` with one of them, which `main` has made sure of. The build makes one file of it and of all that it imports. */
run((version) => commandLine(version, [commands[process.argv[2] as JudgingCommand]()]));
