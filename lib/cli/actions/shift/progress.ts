import { oneLine } from '../../../core/printable-text';
import { formatRoundedDuration, formatFigure, formatWeights, isBeyond } from '../../../shift/engine';
import type { CheckRecord, Figure, LogRecord, ShiftObserver, ShiftProgress } from '../../../shift/engine';
import { exactly, linesText, widthOf } from '../../output';

/**
 * Where a shift is, in one line: `step 3/7 | blue 95, green 5 | waits, 1m20s left | errorShare 0.1 % | 18m to go`.
 *
 * @param now milliseconds since 1970
 */
export function terminalProgressLine(progress: ShiftProgress, now: number): string {
  const { step, steps, weights, checks, endsAt, pausedAt, at } = progress;
  // A pause lasts as long as a person wants: what comes after it stays as long as it is.
  const from = pausedAt === null ? now : at;
  const parts = [
    steps === 0 ? '' : `step ${step}/${steps}`,
    weights === null ? '' : formatWeights(weights),
    activity(progress, now),
    ...checks.map(checkWord),
    endsAt === null ? '' : `${formatRoundedDuration(Math.max(0, endsAt - from))} to go`,
  ];
  return oneLine(parts.filter(Boolean).join(' | '));
}

function activity({ activity: doing, standsUntil, pausedAt }: ShiftProgress, now: number): string {
  const left =
    standsUntil === null || standsUntil <= now ? '' : `, ${formatRoundedDuration(standsUntil - now)} left`;
  switch (doing) {
    case 'starting':
      return 'reads the live weights';
    case 'preparing':
      return 'runs the checks before the next step';
    case 'writing':
      return 'writes';
    case 'standing':
      return `waits${left}`;
    case 'baking':
      return `bakes${left}`;
    case 'paused':
      return `paused at ${pausedAt ?? 0} % of the way`;
    case 'rollingBack':
      return 'rolls back';
    case 'ending':
      return 'ends';
  }
}

/** `errorShare 0.12 %`, `errorShare 4 % FAIL`, `targetHealth ?` */
function checkWord({ name, status, figures }: CheckRecord): string {
  const figure = telling(figures);
  const value =
    figure === undefined ? '' : formatFigure({ name: '', value: figure.value, unit: figure.unit });
  const words = { pass: value === '' ? 'ok' : '', fail: 'FAIL', inconclusive: '?' };
  return [name, value.trim(), words[status]].filter(Boolean).join(' ');
}

/** The figure beyond its bound, else the first with a bound, else the first. */
function telling(figures: readonly Figure[]): Figure | undefined {
  const known = figures.filter(({ value }) => value !== null);
  const isBound = ({ min, max }: Figure): boolean => min !== undefined || max !== undefined;
  return (
    known.find((figure) => figure.failed === true || isBeyond(figure)) ?? known.find(isBound) ?? known[0]
  );
}

/** Milliseconds between two drawings on a terminal, and between two lines elsewhere. */
const drawInterval = 1_000;

const plainInterval = 30_000;

/** Where progress goes, as far as it has to be known. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where progress goes: stderr. A dumb terminal can't draw a line anew. */
export function progressStream(): ProgressStream {
  const dumb = { write: (text: string) => process.stderr.write(text) };
  return process.env['TERM'] === 'dumb' ? dumb : process.stderr;
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

  /** @param name is before the lines of this shift; empty where it is the only one */
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
      .map(
        ([name, progress]) =>
          `${name === '' ? '' : `${name}: `}${terminalProgressLine(progress, Date.now())}`,
      );
  }
}
