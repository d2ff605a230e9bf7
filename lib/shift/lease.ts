import type { Weights } from './weights';

/**
 * What a shift has to remember while it runs, beside the weights themselves: without it a run that goes on after a kill
 * could not know where to roll back to.
 */
export interface ShiftRecord {
  /** Weights that were live before the shift began. */
  readonly origin: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
  /** Weights that were written last, or were about to be. */
  readonly written: Weights;
  /**
   * What stood, or may have stood, when that write was announced: a run that was killed just before it finds these. More
   * than one after a write whose fate is not known.
   */
  readonly before?: readonly Weights[];
  /** When the shift began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Set once it has decided to roll back, to `written`: a run that goes on finishes that. */
  readonly rollingBack?: boolean;
}

/**
 * One shift at a time on one rule, and the record of it. The lease is advisory: who holds it does not have to ask it
 * before a write, since every write comes after a look at the live weights.
 */
export interface Lease {
  /** What it is, for logs and errors: `SSM parameter /cluster-canary/…`. */
  readonly name: string;

  /**
   * Takes the lease, and answers the record that an unfinished shift left.
   *
   * @throws LeaseTaken where somebody else holds it and it has not expired
   */
  acquire(signal?: AbortSignal): Promise<ShiftRecord | undefined>;

  /**
   * Writes the record and makes the lease last longer.
   *
   * @throws LeaseTaken where somebody else has taken it over meanwhile
   */
  keep(record: ShiftRecord, signal?: AbortSignal): Promise<void>;

  /** Gives the lease back; the record goes when `finished`, and stays for the next run otherwise. */
  release(finished: boolean, signal?: AbortSignal): Promise<void>;
}

/** Somebody else holds the lease. */
export class LeaseTaken extends Error {
  public constructor(
    message: string,
    /** Who holds the lease, as the lease names its holders. */
    public readonly holder: string,
    /** When it expires, in milliseconds since 1970. */
    public readonly expiresAt: number,
  ) {
    super(message);
    this.name = 'LeaseTaken';
  }
}
