import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** SIGHUP in a mask of signals: the first bit. */
const hangUp = 1n;

/**
 * Whether the process was started so that SIGHUP should not end it: by `nohup`, or by a script that ignores it.
 *
 * Node.js sets every signal to its default when it starts, so what the process inherited is not to be seen any more, and
 * `nohup` alone would not help. The shell's variable `_` and, on Linux, the parent process still show it.
 *
 * @param environment of the process. @default process.env
 * @param statusOf what Linux says about a process. @default - from /proc
 */
export function ignoresHangUp(
  environment: NodeJS.ProcessEnv = process.env,
  statusOf: (process: number | 'self') => string = readStatus,
): boolean {
  const isIgnoredBy = (of: number | 'self'): boolean => {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(statusOf(of)) ?? [];
    return (BigInt(`0x${mask}`) & hangUp) !== 0n;
  };
  return basename(environment['_'] ?? '') === 'nohup' || isIgnoredBy('self') || isIgnoredBy(process.ppid);
}

/** Empty where there is no such process, or no /proc. */
function readStatus(of: number | 'self'): string {
  try {
    return readFileSync(`/proc/${of}/status`, 'utf8');
  } catch {
    return '';
  }
}
