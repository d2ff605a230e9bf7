/** Seconds of silence before progress is shown, and between two reports. */
const interval = 2;

/** Says on stderr how far a long run is. */
export class Progress {
  private readonly started = Date.now();
  private reported = this.started;
  private readonly timer: NodeJS.Timeout;
  private count = 0;

  /** @param what is counted: `resources registered` */
  public constructor(private readonly what: string) {
    this.timer = setInterval(() => this.report(), interval * 1000);
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
    if (Date.now() - this.reported >= interval * 1000) {
      this.reported = Date.now();
      const seconds = Math.round((this.reported - this.started) / 1000);
      process.stderr.write(`${this.what}: ${this.count} (${seconds} s)\n`);
    }
  }
}
