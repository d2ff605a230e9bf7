import type { SlotCount } from '../evaluation';

/** A piece of time that answers are counted by, in milliseconds; every period of figures is longer. */
const pieceMs = 1_000;

/** What became of one own request. */
export interface OwnAnswer {
  /** Name of the slot. */
  readonly slot: string;
  /** When its answer was there or it was given up, in milliseconds since 1970. */
  readonly at: number;
  /** Whether a load balancer takes it for failed: no answer, or a 5XX. */
  readonly failed: boolean;
  /** Whether it took longer than the bound. */
  readonly slow: boolean;
}

/**
 * What this process has sent to the slots of a shift on its own, as counts: to tell it apart from what visitors sent. A run
 * that goes on with a shift knows nothing of what the earlier one sent, so figures from before `since` are of no use to it.
 */
export class OwnRequests {
  /** Whether queries of a user count them; unset: nobody has said so. */
  public inQueries: boolean | undefined;
  private readonly pieces = new Map<
    string,
    Map<number, { requests: number; errors: number; slow: number }>
  >();
  private begun: number | undefined;
  private counts: readonly SlotCount[] | undefined;

  /** Since when all of them are known; unset while none is sent. */
  public get since(): number | undefined {
    return this.begun;
  }

  /** Says that requests are sent from now on. */
  public begin(at: number): void {
    this.begun ??= at;
  }

  /** Counts one. */
  public note({ slot, at, failed, slow }: OwnAnswer): void {
    const pieces =
      this.pieces.get(slot) ?? new Map<number, { requests: number; errors: number; slow: number }>();
    this.pieces.set(slot, pieces);
    const start = Math.floor(at / pieceMs) * pieceMs;
    const piece = pieces.get(start) ?? { requests: 0, errors: 0, slow: 0 };
    piece.requests += 1;
    piece.errors += failed ? 1 : 0;
    piece.slow += slow ? 1 : 0;
    pieces.set(start, piece);
    this.counts = undefined;
  }

  /** All of them, by slot and second. */
  public get all(): readonly SlotCount[] {
    this.counts ??= [...this.pieces].flatMap(([slot, pieces]) =>
      [...pieces].map(([at, piece]): SlotCount => ({ slot, at, ...piece })),
    );
    return this.counts;
  }
}
