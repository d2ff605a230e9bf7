/** How often something is tried of which a second time does no harm: a shift of hours is not to be undone since one call had no answer. */
const tries = 4;

/** How something is tried again. */
export interface Again {
  /** Whether another try can't help. */
  readonly isFinal: (error: unknown) => boolean;
  /** Tells a person why it is tried again. */
  readonly onRetry: (error: unknown) => void;
  /** Waits before another try, in milliseconds; an abort ends it. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The pause after the first try that failed, in milliseconds; each further one is twice as long. */
  readonly firstPauseMs: number;
}

/**
 * Tries a call until it has an answer, four times at most.
 *
 * @throws what the last try threw; the signal's reason where that is aborted after an answer
 */
export async function again<T>(
  call: () => Promise<T>,
  { isFinal, onRetry, pause, firstPauseMs }: Again,
  signal: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      const answer = await call();
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      if (signal.aborted || tried >= tries || isFinal(error)) {
        throw error;
      }
      onRetry(error);
      await pause(firstPauseMs * 2 ** (tried - 1), signal);
    }
  }
}
