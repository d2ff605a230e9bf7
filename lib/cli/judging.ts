import { commandLine } from './command-line';
import { hardenCommand } from './commands/harden';
import { lintCommand } from './commands/lint';
import { run } from './run';

/** `cluster-canary` with what judges manifests alone. The build makes one file of it and of all that it imports. */
run((version) => commandLine(version, [process.argv[2] === 'harden' ? hardenCommand() : lintCommand()]));
