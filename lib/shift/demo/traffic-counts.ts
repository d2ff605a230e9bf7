import type { PeriodCount } from '../http-proxy';

/** What became of one request. */
export interface ServedRequest {
  /** Upstream that it went to. */
  readonly slot: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  /** How long it took. */
  readonly milliseconds: number;
  /** Whether it got no answer, or one with a status from 500 on. */
  readonly failed: boolean;
}

/** Bounds that slow requests can be counted by, in milliseconds. */
export const latencyBounds: readonly number[] = [25, 50, 100, 250, 500, 1_000, 2_500];

/** So long counts are kept, in milliseconds. */
const keptMs = 3_600_000;

/** The shortest period, in milliseconds. */
export const pieceMs = 1_000;

interface Piece {
  requests: number;
  errors: number;
  /** How many took longer than each bound. */
  readonly above: number[];
}

/** Counts requests by upstream and second. */
export class TrafficCounts {
  private readonly pieces = new Map<number, Map<string, Piece>>();

  /** Counts one. */
  public add({ slot, at, milliseconds, failed }: ServedRequest): void {
    const second = Math.floor(at / pieceMs) * pieceMs;
    const slots = this.pieces.get(second) ?? this.begin(second);
    const piece = slots.get(slot) ?? { requests: 0, errors: 0, above: latencyBounds.map(() => 0) };
    slots.set(slot, piece);
    piece.requests += 1;
    piece.errors += failed ? 1 : 0;
    latencyBounds.forEach((bound, index) => (piece.above[index]! += milliseconds > bound ? 1 : 0));
  }

  /**
   * Counts of whole periods from `from` (included) to `to` (excluded), the oldest first. A slot without requests in a period is
   * missing there.
   *
   * @param periodMs whole seconds
   * @param slowAboveMs one of the bounds. @default - slow requests are left out
   */
  public between(from: number, to: number, periodMs: number, slowAboveMs?: number): readonly PeriodCount[] {
    const bound = slowAboveMs === undefined ? -1 : latencyBounds.indexOf(slowAboveMs);
    const found = new Map<
      string,
      { slot: string; at: number; requests: number; errors: number; slow?: number }
    >();
    const [first, end] = [Math.ceil(from / periodMs) * periodMs, Math.floor(to / periodMs) * periodMs];
    for (const [second, slots] of this.pieces) {
      if (second < first || second >= end) {
        continue;
      }
      const at = Math.floor(second / periodMs) * periodMs;
      for (const [slot, piece] of slots) {
        const key = `${at} ${slot}`;
        const count = found.get(key) ?? { slot, at, requests: 0, errors: 0, ...(bound >= 0 && { slow: 0 }) };
        found.set(key, count);
        count.requests += piece.requests;
        count.errors += piece.errors;
        if (count.slow !== undefined) {
          count.slow += piece.above[bound]!;
        }
      }
    }
    return [...found.values()].sort((one, other) => one.at - other.at);
  }

  private begin(second: number): Map<string, Piece> {
    for (const old of this.pieces.keys()) {
      if (old >= second - keptMs) {
        break;
      }
      this.pieces.delete(old);
    }
    const slots = new Map<string, Piece>();
    this.pieces.set(second, slots);
    return slots;
  }
}
