/** Seconds of silence before progress is shown. */
const patience = 2;

/** Says on stderr how far a long run is. */
export class Progress {
  private readonly started = Date.now();
  private next = this.started + patience * 1000;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param what is counted: `resources registered`; or what goes on
   * @param count at first; unset where nothing is counted
   * @param interval seconds between two reports. A wait of many minutes needs fewer of them.
   */
  public constructor(
    private readonly what: string,
    private count?: number,
    private readonly interval = patience,
  ) {
    this.timer = setInterval(() => this.report(), patience * 1000);
    this.timer.unref();
  }

  /** Takes note of the count; a program that never rests leaves no time to the timer. */
  public readonly update = (count: number): void => {
    this.count = count;
    this.report();
  };

  public stop(): void {
    clearInterval(this.timer);
  }

  private report(): void {
    const now = Date.now();
    if (now >= this.next) {
      this.next = now + this.interval * 1000;
      const count = this.count === undefined ? '' : `: ${this.count}`;
      process.stderr.write(`${this.what}${count} (${Math.round((now - this.started) / 1000)} s)\n`);
    }
  }
}
