/** Where a run says how far it is. */
export interface RunLog {
  /** A line that the next one takes the place of. */
  progress(text: string): void;
}

/** Silence before something is said, and the least time between two lines, in milliseconds. */
const everyMs = 2_000;

/** Where lines are not drawn anew, each stays: so often at most only the time is told, in milliseconds. */
const timeOnlyEveryMs = 30_000;

/** Says what a long run does: its last line, and for how long it has been running. */
export class RunProgress {
  private readonly started = Date.now();
  private last = '';
  private said = { line: '', at: this.started };
  private readonly timer: NodeJS.Timeout;

  /**
   * @param what is run: `helmfile apply`
   * @param tickMs time between two looks, in milliseconds
   */
  public constructor(
    private readonly what: string,
    private readonly log: RunLog,
    tickMs = everyMs,
  ) {
    this.timer = setInterval(() => this.tell(), tickMs);
    this.timer.unref();
  }

  /** Takes note of a line. */
  public readonly line = (line: string): void => {
    this.last = line.slice(0, 160);
  };

  public stop(): void {
    clearInterval(this.timer);
  }

  private tell(): void {
    const now = Date.now();
    if (
      this.last !== this.said.line ||
      now - this.said.at >= timeOnlyEveryMs ||
      this.said.at === this.started
    ) {
      this.said = { line: this.last, at: now };
      const seconds = Math.round((now - this.started) / 1000);
      this.log.progress(`${this.what}: ${seconds} s${this.last === '' ? '' : `, ${this.last}`}`);
    }
  }
}
