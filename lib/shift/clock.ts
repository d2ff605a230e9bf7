/** The time, and waiting for it; a simulation has one of its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The time of day, where `now` counts the time that passes instead and the two may differ. @default - `now` */
  wall?(): number;
  /** Waits. Answers early, without an error, when the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine: its time of day, which may be set. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener('abort', done);
    }),
};

/**
 * A clock that only counts the time that passes, from the time of day at its beginning on. Weights stand for their time, and
 * checks are asked on, also where the time of day is set meanwhile.
 */
export function steadyClock(): Clock {
  const offset = Date.now() - performance.now();
  return { ...systemClock, now: () => Math.round(offset + performance.now()), wall: () => Date.now() };
}

/** The time of day of a moment of a clock: what others have to understand is told in it. */
export function wallOf(clock: Clock): (at: number) => number {
  return (at) => (clock.wall ? Math.round(at + clock.wall() - clock.now()) : at);
}
