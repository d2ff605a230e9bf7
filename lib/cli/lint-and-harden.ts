import { lintDefaults } from './actions/lint/flags';
import { runLint } from './actions/lint/lint';
import { commandLine } from './command-line';
import { hardenCommand } from './commands/harden';
import { lintCommand } from './commands/lint';
import { version } from './output';
import { run } from './run';

const commands = { lint: lintCommand, harden: hardenCommand } as const;

/** The commands that check manifests alone. */
export type LintOrHarden = keyof typeof commands;

const [name, ...given] = process.argv.slice(2) as [LintOrHarden, ...string[]];

/** Most charts are checked without a flag, which needs no Commander: it takes longer than the rules do. */
const isPathsAlone = given.length > 0 && given.every((each) => each === '-' || /^[^-]/.test(each));

/** `cluster-canary` with one of them, which `main` has made sure of. The build makes one file of it and of all that it imports. */
run(() =>
  name === 'lint' && isPathsAlone
    ? runLint(given, lintDefaults)
    : commandLine(version(), [commands[name]()]).parseAsync(process.argv),
);
