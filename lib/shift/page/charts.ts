import type { Markup } from '../report/parts';

/** Charts of a shift that have been drawn, by what they show. */
export type Charts = readonly (readonly [id: string, content: readonly (Markup | false)[]])[];

/** They stay for so many times as long as they took to draw. */
const share = 10;

/**
 * Charts of one shift: all that look get the same ones. Those of a shift of a day take half a second to draw, in which this process
 * does nothing else: so they are drawn anew no more often than leaves it free.
 */
export class DrawnCharts {
  private last: { readonly charts: Charts; readonly key: unknown; readonly until: number } | undefined;

  /** @param now milliseconds, of a clock that is never set back */
  public constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * The charts.
   *
   * @param key others are drawn at once for another one
   */
  public of(key: unknown, draw: () => Charts): Charts {
    const at = this.now();
    if (this.last && this.last.key === key && at < this.last.until) {
      return this.last.charts;
    }
    const charts = draw();
    const took = this.now() - at;
    this.last = { charts, key, until: at + (1 + share) * took };
    return charts;
  }
}
