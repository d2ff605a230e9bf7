import type { KnownCounts, SlotCount } from '../shift';
import { minuteMs } from './traffic';
import type { World } from './world';

/** The figures that a world's source has shown so far, as a check takes them. */
export class ShownCounts {
  private readonly counts: SlotCount[] = [];
  private shownUntil = 0;
  private readonly lateMs: number;
  private skewed: { of: string; counts: readonly SlotCount[] } = { of: '', counts: this.counts };

  /**
   * @param delayMs from the end of a minute until a check takes its figures; the source may take longer
   * @param isSkewed whether answers are counted later than requests, as CloudWatch has them
   */
  public constructor(
    public readonly world: World,
    delayMs: number,
    private readonly isSkewed: boolean,
  ) {
    this.lateMs = Math.max(0, delayMs - world.conditions.metrics.delayMs);
  }

  /** What is there at this time, which never goes back: the list grows at its end, unless some of it is still late. */
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
    return {
      counts: this.isSkewed ? this.withLate(time) : this.counts,
      until: traffic.startOf(this.shownUntil),
      periodMs: minuteMs,
      settling: this.isSkewed,
    };
  }

  /** The counts with the answers that are late as errors: the same list as long as they are the same. */
  private withLate(time: number): readonly SlotCount[] {
    const { traffic, source, conditions } = this.world;
    const late = new Map<SlotCount, number>();
    for (let index = this.counts.length - 1; index >= 0; index -= 1) {
      const count = this.counts[index]!;
      if (count.at + minuteMs + source.lateMs <= time) {
        break;
      }
      const slot = conditions.names.indexOf(count.slot);
      const answers = source.lateAnswers(slot, traffic.minuteOf(count.at), time);
      if (answers > 0) {
        late.set(count, answers);
      }
    }
    if (late.size === 0) {
      return this.counts;
    }
    const of = [this.counts.length, ...[...late].map(([{ slot, at }]) => `${slot} ${at}`)].join();
    if (this.skewed.of !== of) {
      const counts = this.counts.map((count): SlotCount => {
        const answers = late.get(count);
        return answers === undefined
          ? count
          : { ...count, errors: (count.errors ?? 0) + answers, failures: count.errors ?? 0 };
      });
      this.skewed = { of, counts };
    }
    return this.skewed.counts;
  }
}
