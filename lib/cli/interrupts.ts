import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { interruptedStatus } from './output';

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

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A second interrupt ends at once; this is how long its farewell may take, in milliseconds. */
const farewell = 2_000;

/** Signals that come together, of a supervisor or a key that is held, are no third interrupt; in milliseconds. */
const burst = 500;

function endAtOnce(): void {
  process.exit(interruptedStatus);
}

function ignore(): void {
  // A listener is what keeps a signal from ending the process.
}

/** Ends the process at SIGINT, until a command takes interrupts over; SIGHUP does not end it where `nohup` was to see to that. */
export function endOnInterrupt(): void {
  process.on('SIGINT', endAtOnce);
  if (ignoresHangUp()) {
    process.on('SIGHUP', ignore);
  }
}

/**
 * Does what holds the whole process up, such as waiting for a pipe to end. No listener hears a signal meanwhile, so SIGINT
 * ends the process by itself, which a shell shows as 130.
 */
export function whileHeldUp<T>(act: () => T): T {
  process.off('SIGINT', endAtOnce);
  try {
    return act();
  } finally {
    process.on('SIGINT', endAtOnce);
  }
}

/** Interrupts in the hands of a command. */
export interface Interrupts {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Aborted by the second, if that is no SIGHUP; the process ends soon after, whatever it does. */
  readonly kill: AbortSignal;
  /** Gives them back. */
  release(): void;
}

/**
 * Takes SIGINT, SIGTERM and SIGHUP over. SIGHUP, of a terminal that was closed or a connection that was lost, is as good
 * as SIGTERM, but never the second interrupt: it is no sign of insistence. One closed window brings several of them, from the
 * kernel and from the shell, and systemd can send one right after SIGTERM.
 *
 * @param onFirst is called at the first one, to say what happens now
 * @see https://www.gnu.org/software/bash/manual/html_node/Signals.html
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.kill.html#SendSIGHUP=
 */
export function takeInterrupts(onFirst: () => void): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  let secondAt = 0;
  const isNoInterrupt = ignoresHangUp();
  const onSignal = (isHangUp: boolean): void => {
    if (isHangUp && (isNoInterrupt || first.signal.aborted)) {
      return;
    }
    if (second.signal.aborted) {
      if (performance.now() - secondAt > burst) {
        endAtOnce();
      }
    } else if (first.signal.aborted) {
      setTimeout(endAtOnce, farewell).unref();
      secondAt = performance.now();
      second.abort();
    } else {
      if (isHangUp) {
        // Those that follow must not end what comes after the command: its result, and a report.
        process.on('SIGHUP', ignore);
      }
      onFirst();
      first.abort();
    }
  };
  const listeners = signals.map((signal) => [signal, () => onSignal(signal === 'SIGHUP')] as const);
  process.off('SIGINT', endAtOnce);
  listeners.forEach(([signal, listener]) => process.on(signal, listener));
  return {
    signal: first.signal,
    kill: second.signal,
    release: () => {
      listeners.forEach(([signal, listener]) => process.off(signal, listener));
      process.on('SIGINT', endAtOnce);
    },
  };
}
