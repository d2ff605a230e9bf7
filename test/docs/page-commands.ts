import { pages } from './documents';
import type { CommandLine } from './shell';
import { commandLinesOf } from './shell';

/** Lines that the pages show for a shell. */
export const lines = pages.flatMap(commandLinesOf);
/** Those of the command. */
export const ours = lines.flatMap((line) =>
  line.commands
    .map((words) => (words[0] === 'npx' && words[1] === '--no-install' ? words.slice(2) : words))
    .filter(([name]) => name === 'cluster-canary')
    .map((words) => ({ ...line, words: words.slice(1) })),
);
/** A synopsis names flags and arguments, and is nothing that one could run. */
const isSynopsis = ({ text, inline }: CommandLine) =>
  /[[<…]|\b(PLAN|SLOT|APP|FILE)\b/.test(text) || (inline && !text.startsWith('npx'));

/** Those that one could run. */
export const whole = ours.filter((each) => !isSynopsis(each));
