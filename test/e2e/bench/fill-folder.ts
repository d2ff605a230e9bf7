import { appendFileSync } from 'node:fs';
import { fillFolder, fillInPlace } from '../tools/cached-folder';
import type { Lock } from '../tools/lock';
import { run } from '../tools/run-command';

/**
 * Fills a folder as a tool is provided, by a program that goes on when asked to end, and writes its second file when another
 * run waits, or after ten seconds.
 */
const [manner, folder, log] = process.argv.slice(2) as [string, string, string];
const program = `trap '' TERM
  echo begin >> "$2" && echo 1 > "$1/first"
  for try in $(seq 100); do grep -q waiting "$2" && break; sleep 0.1; done
  echo 2 > "$1/second" && echo end >> "$2"`;
const fill = async (into: string, lock: Lock): Promise<void> => {
  await run('sh', ['-c', program, 'sh', into, log], { lock });
};
const say = (line: string): void => appendFileSync(log, `${line}\n`);

void (manner === 'in place'
  ? fillInPlace(folder, say, (lock) => fill(folder, lock))
  : fillFolder(folder, say, fill));
