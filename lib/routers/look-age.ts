/** Two clocks, in milliseconds: each sees what the other does not. */
export interface LookClocks {
  /** The time of day, which goes on while the machine is suspended, and may be set. */
  wall(): number;
  /** It only goes forward, and stands still while the machine is suspended. */
  monotonic(): number;
}

/** The clocks of this machine. */
export const machineClocks: LookClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** How long it may take until the answer is used: a call to AWS takes a tenth of this. */
const longestSinceAnswer = 2_000;
/** With the time of the answer: a network that is slow and no more must not keep a rollback from being written. */
const longestSinceAsked = 5_000;

/** How old a look at the live weights is. */
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
