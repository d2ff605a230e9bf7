import type { KnownCounts, SlotCount } from '../shift';
import { minuteMs } from './traffic';
import type { World } from './world';

/** The figures that a world's source has shown so far, as a check takes them. */
export class ShownCounts {
  private readonly counts: SlotCount[] = [];
  private shownUntil = 0;
  private readonly lateMs: number;

  /** @param delayMs from the end of a minute until a check takes its figures; the source may take longer */
  public constructor(
    public readonly world: World,
    delayMs: number,
  ) {
    this.lateMs = Math.max(0, delayMs - world.conditions.metrics.delayMs);
  }

  /** What is there at this time, which never goes back: the list grows at its end. */
  public at(time: number): KnownCounts {
    const { traffic, source, conditions } = this.world;
    const until = source.shownUntil(time - this.lateMs);
    for (; this.shownUntil < until; this.shownUntil += 1) {
      conditions.names.forEach((slot, index) => {
        const { requests, errors, slow } = traffic.counts[index]!;
        const minute = this.shownUntil;
        if (requests[minute]! > 0 && !source.isMissing(index, minute)) {
          this.counts.push({
            slot,
            at: traffic.startOf(minute),
            requests: requests[minute]!,
            errors: errors[minute]!,
            slow: slow[minute]!,
          });
        }
      });
    }
    return { counts: this.counts, until: traffic.startOf(this.shownUntil), periodMs: minuteMs };
  }
}
