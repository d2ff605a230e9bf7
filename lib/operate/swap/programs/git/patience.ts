import { ProgramUnreachable } from '../../program';

/** How long a question is asked again that a server does not answer. */
export interface Patience {
  /** While the server is away or limits requests, in milliseconds. @default - as long as the signal lets it */
  readonly away?: number;
  /** While it does not know the token, in milliseconds. @default 60000 - one in a file is renewed while others read it */
  readonly refused?: number;
  /** Waits before each further try; an abort ends it. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
  /** Receives why it waits, once for each reason. */
  readonly say: (line: string) => void;
  /** Milliseconds of a clock that only goes forward. @default performance.now */
  readonly now?: () => number;
}

/**
 * Asks again while the server can't be asked: what was asked for is under way meanwhile, and is not given up for that.
 *
 * @throws ProgramUnreachable once patience is over; whatever else the question throws; the signal's reason where that is aborted
 */
export async function patiently<T>(
  { away = Infinity, refused = 60_000, pause, say, now = () => performance.now() }: Patience,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  let said: string | undefined;
  let since: number | undefined;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProgramUnreachable)) {
        throw error;
      }
      since ??= now();
      if (now() - since >= (error.passes ? away : refused)) {
        throw error;
      }
      if (error.message !== said) {
        said = error.message;
        say(`${error.message}; asks again`);
      }
    }
    await pause(signal);
  }
}
