import { writeNotes } from './output';

/** Seconds of silence before progress is shown. */
const patience = 2;

/** How progress is shown. */
export interface ProgressOptions {
  /** Count at first. @default - nothing is counted until {@link Progress.update} says so */
  readonly count?: number;
  /** What the count ends at. @default - not known */
  readonly total?: number;
  /** Seconds between two reports. A wait of many minutes needs fewer of them. @default 2 */
  readonly interval?: number;
}

/** Says on stderr how far a long run is. */
export class Progress {
  private readonly started = Date.now();
  private next = this.started + patience * 1000;
  private readonly timer: NodeJS.Timeout;
  private count: number | undefined;

  /** @param what is counted: `resources registered`; or what goes on */
  public constructor(
    private what: string,
    private readonly options: ProgressOptions = {},
  ) {
    this.count = options.count;
    this.timer = setInterval(() => this.report(), patience * 1000);
    this.timer.unref();
  }

  /** Takes note of the count; a program that never rests leaves no time to the timer. */
  public readonly update = (count: number): void => {
    this.count = count;
    this.report();
  };

  /** Goes on to something else, of which nothing was counted yet. */
  public readonly about = (what: string): void => {
    this.what = what;
    this.count = undefined;
    this.report();
  };

  public stop(): void {
    clearInterval(this.timer);
  }

  private report(): void {
    const now = Date.now();
    if (now >= this.next) {
      const { interval = patience, total } = this.options;
      this.next = now + interval * 1000;
      const count =
        this.count === undefined ? '' : `: ${this.count}${total === undefined ? '' : ` of ${total}`}`;
      writeNotes(`${this.what}${count} (${Math.round((now - this.started) / 1000)} s)`);
    }
  }
}
