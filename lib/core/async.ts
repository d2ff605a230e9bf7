import { setMaxListeners } from 'node:events';

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

/** Waits; an aborted signal ends it with the signal's reason. In milliseconds. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return orAborted(waited, signal).finally(() => clearTimeout(timer));
}

/** The promise's outcome, or the signal's reason as soon as that is aborted; what was begun goes on unheard. */
export function orAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      promise.catch(() => undefined);
      abort();
      return;
    }
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Works on many things, so many at once; answers in the order of the things. After a failure nothing more is begun, and
 * what is under way comes to its end before that is told: a token is given back, a connection is closed.
 *
 * @param limit at least one
 */
export async function inTurn<Item, Answer>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer[]> {
  const answers: Answer[] = new Array<Answer>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    try {
      while (next < items.length) {
        signal?.throwIfAborted();
        const position = next;
        next += 1;
        answers[position] = await work(items[position]!);
      }
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  const workers = Array.from({ length: Math.min(Math.max(limit, 1), items.length) }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return answers;
}

/** Lets so many calls run at once; the others wait in their order. */
export class Limiter {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param most calls at once, at least one */
  public constructor(private readonly most: number) {}

  /** Makes a call as soon as there is room. */
  public async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.running >= this.most) {
      await new Promise<void>((proceed) => this.waiting.push(proceed));
    } else {
      this.running += 1;
    }
    try {
      return await call();
    } finally {
      // The room goes to the next one, or is free.
      const next = this.waiting.shift();
      if (next) {
        next();
      } else {
        this.running -= 1;
      }
    }
  }
}

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
  // Every request that a call makes at once listens to it, and Node.js warns of more than ten.
  setMaxListeners(Infinity, own.signal);
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

/** How long something is looked at again. */
export interface WaitLimits {
  /** Milliseconds. */
  readonly within: number;
  /** Milliseconds between two looks in the end: the first pauses are shorter, and each has a random part of up to half. */
  readonly every: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds; each further pause is twice as long. */
const firstPause = 250;

/**
 * Looks again and again until nothing is in the way, time is up or the signal is aborted. Answers what was in the way at the
 * last look; what a look throws is thrown on.
 *
 * @param tell is told what is in the way whenever that has changed
 */
export async function untilClear(
  look: () => Promise<readonly string[]>,
  { within, every, clock, signal }: WaitLimits,
  tell: (lines: readonly string[]) => void = () => undefined,
): Promise<readonly string[]> {
  const end = clock.now() + within;
  let told = '';
  for (let looks = 1; ; looks += 1) {
    const lines = await look();
    if (lines.length === 0 || signal.aborted || clock.now() >= end) {
      return lines;
    }
    if (lines.join('\n') !== told) {
      told = lines.join('\n');
      tell(lines);
    }
    const pause = Math.min(firstPause * 2 ** (looks - 1), every) * (1 + Math.random() / 2);
    await clock.sleep(Math.min(pause, Math.max(end - clock.now(), 1)), signal);
  }
}
