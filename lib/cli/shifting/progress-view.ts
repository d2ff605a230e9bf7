import { oneLine } from '../../problems';
import type { LogRecord, ShiftObserver, ShiftProgress } from '../../shift';
import { exactly } from '../guarded-text';
import { linesText, widthOf } from '../output';
import { progressLine } from './progress-line';

/** Milliseconds between two drawings on a terminal, and between two lines elsewhere. */
const drawInterval = 1_000;
const plainInterval = 30_000;

/** Where progress goes, as far as it has to be known. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Shows how far shifts are: on a terminal a line for each that is drawn anew, elsewhere a plain line now and then. The log
 * goes above it.
 */
export class ProgressView {
  private readonly shifts = new Map<string, ShiftProgress>();
  private readonly timer: NodeJS.Timeout;
  private drawn = 0;
  private plainAt = Date.now();

  public constructor(private readonly stream: ProgressStream) {
    this.timer = setInterval(() => this.show(), stream.isTTY ? drawInterval : plainInterval);
    this.timer.unref();
  }

  /** @param name stands before the lines of this shift; empty where it is the only one */
  public observer(name: string): ShiftObserver {
    return {
      progress: (progress) => {
        this.shifts.set(name, progress);
        if (this.stream.isTTY) {
          this.show();
        }
      },
      logged: (line) => this.log(name, line),
    };
  }

  /** A line that stays. */
  public say(text: string): void {
    this.sayAll([text]);
  }

  /** Ends it; what is drawn goes. */
  public stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  private sayAll(lines: readonly string[]): void {
    this.clear();
    this.stream.write(linesText(lines));
    this.draw();
  }

  private log(name: string, { at, text }: LogRecord): void {
    const time = at.slice(11, 19);
    this.sayAll(text.split('\n').map((line) => `${time} ${name === '' ? '' : `${name}: `}${line}`));
    this.plainAt = Date.now();
  }

  private show(): void {
    if (this.stream.isTTY) {
      this.clear();
      this.draw();
      return;
    }
    if (Date.now() - this.plainAt >= plainInterval) {
      this.plainAt = Date.now();
      this.lines().forEach((line) => this.stream.write(linesText([line])));
    }
  }

  private draw(): void {
    if (this.stream.isTTY) {
      // A line that wraps could not be taken away again.
      const width = widthOf(this.stream) - 1;
      const lines = this.lines().map((line) => Array.from(oneLine(line)).slice(0, width).join(''));
      this.stream.write(linesText(lines));
      this.drawn = lines.length;
    }
  }

  private clear(): void {
    if (this.drawn > 0) {
      exactly(() => this.stream.write(`\u001b[${this.drawn}A\r\u001b[J`));
      this.drawn = 0;
    }
  }

  private lines(): readonly string[] {
    return [...this.shifts]
      .filter(([, { verdict }]) => verdict === null)
      .map(([name, progress]) => `${name === '' ? '' : `${name}: `}${progressLine(progress, Date.now())}`);
  }
}
