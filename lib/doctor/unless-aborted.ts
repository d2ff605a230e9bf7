/**
 * Waits for something that hears no signal, as long as the signal is not aborted.
 *
 * @throws the signal's reason where it is aborted, also before anything was begun
 */
export async function unlessAborted<Answer>(
  begin: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (!signal) {
    return begin();
  }
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
    begin()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
