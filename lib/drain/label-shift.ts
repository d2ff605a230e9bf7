import type { ShiftObserver, ShiftProgress, Verdict, Weights } from '../shift';
import type { LabelWriter } from './label-writer';
import type { TrafficState } from './traffic-labels';
import { activeSlot, joinedWeights, trafficParts } from './traffic-labels';

/**
 * Keeps the traffic labels of a fleet while shifts of its routes run: hand `observer` to each of them, and call `end` when
 * all have ended. Writes go one after the other, and nothing waits for them but the end.
 */
export class LabelShift {
  private readonly routes = new Map<string, TrafficState>();
  private running: Promise<void> = Promise.resolve();
  private told = '';

  public constructor(private readonly writer: LabelWriter) {}

  /** Watches the shift of one route. */
  public observer(route: string): ShiftObserver {
    return {
      progress: ({ weights, wanted }: ShiftProgress) => {
        if (weights !== null) {
          this.follow(route, { from: this.routes.get(route)?.from ?? weights, live: weights, wanted });
        }
      },
    };
  }

  /**
   * What stands at the end: without a shift every slot is live or stands by, and the active label goes to the slot with most
   * traffic. After a shift that was held or aborted, the labels stay as they are: it is not over.
   *
   * @param verdict of all routes together
   * @param live the weights of each route, as they were last known
   */
  public async end(verdict: Verdict, live: readonly (Weights | null)[]): Promise<boolean> {
    await this.running;
    const known = live.filter((weights) => weights !== null);
    if (!['completed', 'rolledBack'].includes(verdict) || known.length === 0 || known.length < live.length) {
      return false;
    }
    const weights = joinedWeights(known);
    const active = activeSlot(weights, await this.writer.active());
    return this.writer.write({ parts: trafficParts({ from: null, live: weights, wanted: weights }), active });
  }

  private follow(route: string, state: TrafficState): void {
    this.routes.set(route, state);
    const states = [...this.routes.values()];
    const parts = trafficParts({
      from: joinedWeights(states.map(({ from }) => from ?? {})),
      live: joinedWeights(states.map(({ live }) => live)),
      wanted: joinedWeights(states.map(({ wanted }) => wanted)),
    });
    const text = JSON.stringify(parts);
    if (text !== this.told) {
      this.told = text;
      this.running = this.running.then(() => this.writer.write({ parts })).then(() => undefined);
    }
  }
}
