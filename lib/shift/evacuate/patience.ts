import { TookTooLong, steadyClock, within } from '../../core/async';
import type { Clock } from '../../core/async';
import { KubernetesError } from '../../core/kubernetes/errors';
import { errorLine } from '../../core/validation/problems';
import { RouterError } from '../engine';

/** What is around an evacuation. */
export interface EvacuationControl {
  /** Tells how it goes. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** @default - counts the time that passes, whatever the time of day is set to */
  readonly clock?: Clock;
  /** Who does it, for the record. @default - user and machine */
  readonly by?: string;
  /** How long leases are waited for that do not answer, in milliseconds. @default 15000 */
  readonly leaseSilence?: number;
  /** For waits between tries: from 0 to below 1. @default Math.random */
  readonly random?: () => number;
}

const machineClock = steadyClock();

/** The clock of an evacuation. */
export function clockOf({ clock = machineClock }: EvacuationControl): Clock {
  return clock;
}

/** How long calls are tried, in milliseconds. */
export interface Patience {
  /** Of one call, which the SDK retries by itself. */
  readonly call: number;
  /** Of all tries together. */
  readonly total: number;
}

/**
 * Of the calls of routers. Route 53 has five calls a second for a whole account, which others use, too.
 *
 * @see https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
 */
export const routerPatience = {
  http: { call: 20_000, total: 60_000 },
  connections: { call: 20_000, total: 60_000 },
  names: { call: 30_000, total: 180_000 },
} as const satisfies Readonly<Record<string, Patience>>;

/** An answer, or why there is none. */
export type Answer<T> = { readonly answer: T } | { readonly problem: string };

export async function answerOf<T>(call: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { answer: await call() };
  } catch (error) {
    return { problem: errorLine(error) };
  }
}

/** @throws TookTooLong, what the call throws, or what the signal is aborted with */
async function patient<T>(
  { signal }: EvacuationControl,
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let answer: { readonly of: T } | undefined;
  await within(milliseconds, signal, async (own) => {
    answer = { of: await call(own) };
    return true;
  });
  signal?.throwIfAborted();
  return answer!.of;
}

/** Tries again what may pass. */
export async function retried<T>(
  control: EvacuationControl,
  { call: callMs, total }: Patience,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { random = Math.random, signal } = control;
  const clock = clockOf(control);
  const until = clock.now() + total;
  for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 5_000)) {
    try {
      return await patient(control, callMs, call);
    } catch (error) {
      if (mayPass(error) === undefined || signal?.aborted || clock.now() + waitMs >= until) {
        throw error;
      }
      await clock.sleep(waitMs * (0.5 + random() / 2), signal);
    }
  }
}

/** Why another try may help, if it may. */
function mayPass(error: unknown): 'throttled' | 'silent' | undefined {
  if (error instanceof TookTooLong) {
    return 'silent';
  }
  const { failure } = Object(error) as { failure?: unknown };
  const kind =
    error instanceof KubernetesError
      ? error.reason
      : error instanceof RouterError
        ? error.failure
        : (Object(failure) as { kind?: unknown }).kind;
  return kind === 'throttled'
    ? 'throttled'
    : kind === 'unreachable' || kind === 'faulty'
      ? 'silent'
      : undefined;
}

/** Of all tries of one call to a lease: Parameter Store takes few writes a second. */
const longestThrottled = 120_000;

/**
 * Calls to the leases of one evacuation. They are in one place, as a rule: where none has answered for a time, the place is
 * given up for all of them, so that a dead API server costs that time once.
 */
export class LeaseCalls {
  private silentSince: number | undefined;

  /** @param longestSilence in milliseconds */
  public constructor(
    private readonly control: EvacuationControl,
    private readonly longestSilence: number,
  ) {}

  /** @throws Error where the lease, or none of them, answers */
  public async ask<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const clock = clockOf(this.control);
    const { signal, random = Math.random } = this.control;
    const until = clock.now() + longestThrottled;
    for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 5_000)) {
      const began = clock.now();
      const silence = this.silentSince === undefined ? 0 : began - this.silentSince;
      if (silence >= this.longestSilence) {
        throw new Error(`no lease has answered for ${Math.round(silence / 1000)} s`);
      }
      try {
        const answer = await patient(this.control, this.longestSilence - silence, call);
        this.silentSince = undefined;
        return answer;
      } catch (error) {
        const why = mayPass(error);
        this.silentSince = why === 'silent' ? (this.silentSince ?? began) : undefined;
        if (why === undefined || signal?.aborted || clock.now() + waitMs >= until) {
          throw error;
        }
        await clock.sleep(waitMs * (0.5 + random() / 2), signal);
      }
    }
  }
}

/** What several routes read together, each part once in a round: the rules of a listener, the health of a target group. */
export class SharedReads {
  private readonly begun = new Map<string, Promise<unknown>>();

  public of<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.begun.get(key);
    if (known) {
      return known as Promise<T>;
    }
    const reading = read();
    this.begun.set(key, reading);
    // A try after a failure reads anew.
    reading.catch(() => this.begun.delete(key));
    return reading;
  }
}
