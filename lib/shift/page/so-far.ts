import type {
  CheckRecord,
  LogRecord,
  ShiftObserver,
  ShiftOutcome,
  ShiftProgress,
  WriteRecord,
} from '../engine';
import type { ReportedShift } from '../report/parts';

/** What is known of a shift that runs, or has ended. */
export interface ShiftSoFar {
  /** When this run began: ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Where it is. @default - nothing is known yet */
  readonly progress?: ShiftProgress;
  /** Every change of the weights, in order. */
  readonly writes: readonly WriteRecord[];
  /** The newest verdicts of checks, in order. */
  readonly checks: readonly CheckRecord[];
  /** The newest lines of the log. */
  readonly log: readonly LogRecord[];
  /** How it ended. @default - it runs */
  readonly outcome?: ShiftOutcome;
}

/** One call of an observer. */
export type SoFarInput =
  | { readonly type: 'progress'; readonly progress: ShiftProgress }
  | { readonly type: 'written'; readonly write: WriteRecord }
  | { readonly type: 'checked'; readonly check: CheckRecord }
  | { readonly type: 'logged'; readonly line: LogRecord }
  | { readonly type: 'ended'; readonly outcome: ShiftOutcome };

/** A shift of a day has many more verdicts than a page can show. */
const mostChecks = 2_000;

const mostLines = 500;

/** Before the first call of an observer. */
export function nothingSoFar(startedAt: string): ShiftSoFar {
  return { startedAt, writes: [], checks: [], log: [] };
}

/** What is known after one more call. A route whose shift is taken back later begins anew. */
export function withNews(before: ShiftSoFar, input: SoFarInput, now: string): ShiftSoFar {
  const soFar = before.outcome && input.type !== 'ended' ? nothingSoFar(now) : before;
  switch (input.type) {
    case 'progress':
      return { ...soFar, startedAt: beganAt(soFar, input.progress), progress: input.progress };
    case 'written':
      return { ...soFar, writes: [...soFar.writes, input.write] };
    case 'checked':
      return { ...soFar, checks: [...soFar.checks, input.check].slice(-mostChecks) };
    case 'logged':
      return { ...soFar, log: [...soFar.log, input.line].slice(-mostLines) };
    case 'ended': {
      const { outcome } = input;
      const checks = outcome.checks.slice(-mostChecks);
      const log = outcome.log.slice(-mostLines);
      const { startedAt, writes } = outcome;
      return { ...soFar, startedAt, writes, checks, log, outcome: { ...outcome, checks, log } };
    }
  }
}

/** Whoever watches from later on knows when it began all the same. */
function beganAt({ startedAt }: ShiftSoFar, { startedAt: began }: ShiftProgress): string {
  return began === null ? startedAt : new Date(Math.min(began, Date.parse(startedAt))).toISOString();
}

/**
 * The shift as a report draws it: one that runs has now as its end.
 *
 * @param now milliseconds since 1970
 */
export function drawn(soFar: ShiftSoFar, now: number): ReportedShift | undefined {
  const { outcome, progress, startedAt, writes, checks, log } = soFar;
  if (outcome) {
    return outcome;
  }
  if (!progress) {
    return undefined;
  }
  const { from, wanted } = progress;
  const endedAt = new Date(Math.max(now, Date.parse(startedAt))).toISOString();
  return { from, to: wanted, final: null, startedAt, endedAt, writes, checks, log };
}

/** Gathers what an observer hears of a shift. */
export class SoFarFeed {
  private state: ShiftSoFar;
  private count = 0;

  public constructor(private readonly now: () => number) {
    this.state = nothingSoFar(this.iso());
  }

  /** What is known by now. */
  public get soFar(): ShiftSoFar {
    return this.state;
  }

  /** How often that has changed. */
  public get revision(): number {
    return this.count;
  }

  /** What hears of the shift. */
  public get observer(): ShiftObserver {
    return {
      progress: (progress) => this.take({ type: 'progress', progress }),
      written: (write) => this.take({ type: 'written', write }),
      checked: (check) => this.take({ type: 'checked', check }),
      logged: (line) => this.take({ type: 'logged', line }),
      ended: (outcome) => this.take({ type: 'ended', outcome }),
    };
  }

  private take(input: SoFarInput): void {
    this.state = withNews(this.state, input, this.iso());
    this.count += 1;
  }

  private iso(): string {
    return new Date(this.now()).toISOString();
  }
}
