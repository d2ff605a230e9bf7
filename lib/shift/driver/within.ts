/** It took longer than it may. */
export class TookTooLong extends Error {
  public constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
    this.name = 'TookTooLong';
  }
}

/**
 * What a call answers, unless it takes too long or the signal is aborted: then its own signal is aborted, and it is not
 * waited for. Measured with this machine's timers whatever the clock of the shift: it is for calls that hang.
 *
 * @returns `undefined` where the signal was aborted
 * @throws TookTooLong, or what the call throws
 */
export async function within<T>(
  milliseconds: number | undefined,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (signal?.aborted) {
    return undefined;
  }
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const ends = new Promise<undefined>((resolve, reject) => {
    stop = () => resolve(undefined);
    signal?.addEventListener('abort', stop);
    if (milliseconds !== undefined) {
      timer = setTimeout(() => reject(new TookTooLong(milliseconds)), milliseconds);
    }
  });
  try {
    return await Promise.race([call(own.signal), ends]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop!);
    own.abort();
  }
}
