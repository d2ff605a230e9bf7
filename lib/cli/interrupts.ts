import { interrupted } from './exit-status';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** A second interrupt ends at once; this is how long its farewell may take, in milliseconds. */
const farewell = 2_000;

function endAtOnce(): void {
  process.exit(interrupted);
}

/** Ends the process at SIGINT, until a command takes interrupts over. */
export function endOnInterrupt(): void {
  process.on('SIGINT', endAtOnce);
}

/** Interrupts in the hands of a command. */
export interface Interrupts {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Aborted by the second; the process ends soon after, whatever it does. */
  readonly kill: AbortSignal;
  /** Gives them back. */
  release(): void;
}

/**
 * Takes SIGINT and SIGTERM over.
 *
 * @param onFirst is called at the first one, to say what happens now
 */
export function takeInterrupts(onFirst: () => void): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  const onSignal = (): void => {
    if (second.signal.aborted) {
      endAtOnce();
    } else if (first.signal.aborted) {
      setTimeout(endAtOnce, farewell).unref();
      second.abort();
    } else {
      onFirst();
      first.abort();
    }
  };
  process.off('SIGINT', endAtOnce);
  signals.forEach((signal) => process.on(signal, onSignal));
  return {
    signal: first.signal,
    kill: second.signal,
    release: () => {
      signals.forEach((signal) => process.off(signal, onSignal));
      endOnInterrupt();
    },
  };
}
