import { Agent, get } from 'node:http';
import type { Random } from '../../core/random';

/** What visitors do. */
export interface VisitorSettings {
  /** Where they go. */
  readonly url: string;
  /** Requests a second, on average. */
  readonly perSecond: number;
  /** When the next one comes. */
  readonly random: Random;
}

/** Visitors that are under way at most; those beyond stay away, and are counted. */
const mostUnderWay = 500;

/** How long a visitor waits for an answer, in milliseconds. */
const patienceMs = 30_000;

/** How late a visitor may come, in milliseconds. */
const longestLateMs = 200;

/** How long those under way are waited for at the end, in milliseconds. */
const farewellMs = 2_000;

/** What visitors have met. */
export interface VisitorCounts {
  /** Requests that were sent. */
  sent: number;
  /** Answers with a status below 500. */
  well: number;
  /** Answers with a status from 500 on, and requests without one. */
  failed: number;
  /** Visitors that stayed away, since too many were under way. */
  turnedAway: number;
}

/**
 * Visitors that come by chance, at a rate that does not depend on how they are served: a slow server gets no fewer of them.
 */
export class Visitors {
  public readonly counts: VisitorCounts = { sent: 0, well: 0, failed: 0, turnedAway: 0 };
  private readonly agent = new Agent({ keepAlive: true });
  private timer: NodeJS.Timeout | undefined;
  private nextAt = 0;
  private underWay = 0;
  private settled: (() => void) | undefined;
  private isOver = false;

  public constructor(private readonly settings: VisitorSettings) {}

  /** Lets them come. */
  public start(): void {
    this.nextAt = performance.now();
    this.come();
  }

  /** Lets no more come, and waits for those under way a little. */
  public async stop(): Promise<void> {
    clearTimeout(this.timer);
    if (this.underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, farewellMs);
        this.settled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isOver = true;
    this.agent.destroy();
  }

  private come(): void {
    const { perSecond, random } = this.settings;
    // While this process was held up there were no visitors: all of them at once would hold it up again.
    this.nextAt = Math.max(this.nextAt, performance.now() - longestLateMs);
    while (this.nextAt <= performance.now()) {
      this.send();
      this.nextAt -= (1_000 * Math.log(random.uniform())) / perSecond;
    }
    this.timer = setTimeout(() => this.come(), this.nextAt - performance.now());
  }

  private send(): void {
    const { counts } = this;
    if (this.underWay >= mostUnderWay) {
      counts.turnedAway += 1;
      return;
    }
    this.underWay += 1;
    counts.sent += 1;
    let hasEnded = false;
    const end = (isWell: boolean): void => {
      if (!hasEnded && !this.isOver) {
        hasEnded = true;
        counts[isWell ? 'well' : 'failed'] += 1;
        this.underWay -= 1;
        if (this.underWay === 0) {
          this.settled?.();
        }
      }
    };
    const request = get(this.settings.url, { agent: this.agent, timeout: patienceMs }, (answer) => {
      answer.resume();
      answer.on('end', () => end((answer.statusCode ?? 500) < 500));
      answer.on('error', () => end(false));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => end(false));
    request.on('close', () => end(false));
  }
}
