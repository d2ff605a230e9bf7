import { AwsError } from '../../core/aws/errors';
import { RouterError, refuseChanged } from '../engine';
import type { Weights } from '../engine';
import { isRefusal, refused, routerError } from './live-weights';
import type { LiveReading } from './live-weights';
import type { LookClocks } from './router-kind';

/** The clocks of this machine. */
export const machineClocks: LookClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** How long it may take until the answer is used: a call to AWS takes a tenth of this. */
const longestSinceAnswer = 2_000;

/** With the time of the answer: a network that is slow and no more must not keep a rollback from being written. */
const longestSinceAsked = 5_000;

/** How old a look at the live weights is, which begins as it is made. */
export class LookAge {
  private askedAt: Moment;
  private answeredAt: Moment;

  public constructor(private readonly clocks: LookClocks) {
    this.askedAt = this.answeredAt = this.now;
  }

  /** The request goes out. */
  public asked(): void {
    this.askedAt = this.now;
  }

  public answered(): void {
    this.answeredAt = this.now;
  }

  /** Whether what was seen still counts. */
  public get isYoung(): boolean {
    return (
      between(this.answeredAt, this.now) <= longestSinceAnswer &&
      between(this.askedAt, this.now) <= longestSinceAsked
    );
  }

  private get now(): Moment {
    return { wall: this.clocks.wall(), monotonic: this.clocks.monotonic() };
  }
}

interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/** By the clock that says more; a wall clock that was set back says nothing good of the time between, either. */
function between(one: Moment, other: Moment): number {
  return Math.max(Math.abs(other.wall - one.wall), other.monotonic - one.monotonic);
}

/** How often it looks before it leaves a write to another try: a shift waits between those. */
const mostLooks = 3;

/** A change of weights that keeps the rest of what was read. */
export interface Writing<Seen, Sent> {
  /** Name of the router. */
  readonly name: string;
  /** What the live weights may be; unset, whatever they are. */
  readonly expected: readonly Weights[] | undefined;
  readonly clocks: LookClocks;
  /** Reads; calls `asked` right before each request. */
  look(asked: () => void): Promise<Seen>;
  reading(seen: Seen): LiveReading;
  /** Sends the change once; `before` comes right before the request, and keeps it back by what it throws. */
  send(seen: Seen, before: () => void): Promise<Sent>;
}

/**
 * Looks and writes: compares what it sees with what is expected, and sends the change only while that look is young. AWS
 * has no condition on a change of weights, so between the two there must be as little time as can be.
 *
 * @throws RouterError; the live weights are those of the look, where the change was not made
 */
export async function lookAndWrite<Seen, Sent>(writing: Writing<Seen, Sent>): Promise<Sent> {
  const { name, clocks, expected } = writing;
  for (let looks = 1; looks <= mostLooks; looks += 1) {
    const age = new LookAge(clocks);
    const seen = await look(writing, age);
    const reading = writing.reading(seen);
    if (expected) {
      if (isRefusal(reading)) {
        throw refused(name, reading);
      }
      refuseChanged(name, reading.weights, expected);
    }
    let isOld = false;
    const before = (): void => {
      isOld = !age.isYoung;
      if (isOld) {
        throw new Error('the look is too old');
      }
    };
    try {
      return await writing.send(seen, before);
    } catch (error) {
      if (!isOld) {
        throw routerError(error, isRefusal(reading) ? undefined : liveAfter(error, reading.weights));
      }
    }
  }
  const why = `it took too long from reading the weights to writing them, ${mostLooks} times; nothing was written`;
  throw new RouterError('unreachable', `${name}: ${why}`);
}

async function look<Seen, Sent>(writing: Writing<Seen, Sent>, age: LookAge): Promise<Seen> {
  try {
    return await writing.look(() => age.asked());
  } catch (error) {
    throw routerError(error);
  } finally {
    age.answered();
  }
}

/** What is live after a write that failed: what was there before, if it is known that nothing was written. */
function liveAfter(error: unknown, before: Weights): Weights | undefined {
  if (!(error instanceof AwsError)) {
    return undefined;
  }
  const { kind } = error.failure;
  if (kind === 'notFound') {
    // A target group that is gone leaves the rule where it is.
    return /^TargetGroup/.test((error.cause as Error).name) ? before : undefined;
  }
  return kind === 'unreachable' || kind === 'cancelled' || kind === 'region' ? undefined : before;
}
