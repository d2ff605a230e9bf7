import { setMaxListeners } from 'node:events';
import { TookTooLong } from '../../core/async';

/** The longest time that a timer of Node.js takes, in milliseconds: 24 days. */
const longestTimer = 2 ** 31 - 1;

/** How long a call may take. */
export interface Bounds {
  /** Milliseconds; then its signal is aborted. */
  readonly timeoutMs: number;
  /** Milliseconds that it has to end what it has under way once its signal is aborted. After that it is not waited for. */
  readonly endsWithinMs: number;
}

/**
 * What a call answers. Once it takes too long, or the signal is aborted, its own signal is aborted, and it is waited for so
 * that nothing of it goes on beside what comes next.
 *
 * Measured with this machine's timers, whatever the clock: it is for calls that hang.
 *
 * @throws TookTooLong, the signal's reason, or what the call throws
 */
export async function bounded<T>(
  { timeoutMs, endsWithinMs }: Bounds,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  // Every request that a call makes at once listens to it.
  setMaxListeners(Infinity, own.signal);
  let grace: NodeJS.Timeout | undefined;
  let giveUp: (reason: unknown) => void = () => undefined;
  const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
  const stop = (reason: unknown): void => {
    if (!own.signal.aborted) {
      own.abort(reason);
      grace = setTimeout(() => giveUp(reason), endsWithinMs);
    }
  };
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => stop(new TookTooLong(timeoutMs)), Math.min(timeoutMs, longestTimer));
  try {
    return await Promise.race([call(own.signal), givenUp]);
  } catch (error) {
    // What a call throws because it was ended says less than why it was.
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', onAbort);
  }
}
