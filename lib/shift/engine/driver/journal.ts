import type { CheckStage, WeightsWritten } from '../check';
import { formatWeights } from '../format';
import type { NamedResult } from '../machine/events';
import type { ShiftEnded } from '../machine/states';
import type { ShiftApproval } from '../lease';
import { approvalRecord } from '../outcome';
import type {
  CheckRecord,
  LogRecord,
  ShiftObserver,
  ShiftOutcome,
  ShiftProgress,
  WriteRecord,
} from '../outcome';
import type { ShiftPlan } from '../plan';
import type { ShiftRun } from '../shift-run';
import { sameWeights } from '../steps';
import type { Weights } from '../weights';

/** Everything that happened in a run, passed to an observer as it happens. */
export class Journal {
  public readonly written: WeightsWritten[] = [];
  private readonly lastChecks = new Map<string, CheckRecord>();
  private readonly writes: WriteRecord[] = [];
  private readonly checks: CheckRecord[] = [];
  private readonly log: LogRecord[] = [];

  public constructor(
    private readonly plan: ShiftPlan,
    private readonly startedAt: number,
    private readonly wall: (at: number) => number,
    private readonly observer: ShiftObserver = {},
  ) {}

  public addLog(at: number, text: string): void {
    const line = { at: this.iso(at), text };
    this.log.push(line);
    this.tell(() => this.observer.logged?.(line));
  }

  /** A write that repeats the one before it is no change. */
  public addWrite(at: number, weights: Weights, rollback: boolean): void {
    const last = this.written.at(-1);
    if (last && sameWeights(this.plan.slots, last.weights, weights)) {
      return;
    }
    this.written.push({ at, weights });
    const write = { at: this.iso(at), weights, ...(rollback ? { rollback } : {}) };
    this.writes.push(write);
    this.tell(() => this.observer.written?.(write));
  }

  public addChecks(at: number, stage: CheckStage, results: readonly NamedResult[]): void {
    for (const { name, ...result } of results) {
      const record = { at: this.iso(at), name, stage, ...result };
      this.checks.push(record);
      this.lastChecks.set(name, record);
      this.tell(() => this.observer.checked?.(record));
    }
  }

  /** @param progress makes it of the last result of each check */
  public addProgress(progress: (checks: readonly CheckRecord[]) => ShiftProgress): void {
    this.tell(() => this.observer.progress?.(this.inWallTime(progress([...this.lastChecks.values()]))));
  }

  /** The outcome, which the observer is given. */
  public end(state: ShiftEnded, endedAt: number, run: Commands, more: EndNotes): ShiftOutcome {
    const { approvals, capacityProblem, leaseProblem } = more;
    const outcome = {
      ...this.outcome(state, endedAt, nextCommands(run, state)),
      ...(approvals && { approvals: approvals.map(approvalRecord) }),
      ...(capacityProblem !== undefined && { capacityProblem }),
      ...(leaseProblem !== undefined && { leaseProblem }),
    };
    this.tell(() => this.observer.ended?.(outcome));
    return outcome;
  }

  private outcome(state: ShiftEnded, endedAt: number, commands: NextCommands): ShiftOutcome {
    const { end, origin, live } = state;
    return {
      schemaVersion: 1,
      verdict: end.verdict,
      reason: [end.reason, ...whatNow(state, commands)].join('\n'),
      ...(end.failed !== undefined && { failed: end.failed }),
      from: origin,
      to: this.plan.wanted,
      final: live,
      ...(end.pausedAt === undefined ? {} : { pausedAt: end.pausedAt }),
      ...(end.noRecord === true && { noRecord: true }),
      startedAt: this.iso(this.startedAt),
      endedAt: this.iso(endedAt),
      writes: this.writes,
      checks: this.checks,
      log: this.log,
    };
  }

  private iso(at: number): string {
    return new Date(this.wall(at)).toISOString();
  }

  private inWallTime({ at, standsUntil, endsAt, startedAt, ...progress }: ShiftProgress): ShiftProgress {
    const told = (time: number | null): number | null => (time === null ? null : this.wall(time));
    // When the shift began is an id as well: it is as the record has it.
    return {
      ...progress,
      startedAt,
      at: this.wall(at),
      standsUntil: told(standsUntil),
      endsAt: told(endsAt),
    };
  }

  private tell(say: () => void): void {
    try {
      say();
    } catch {
      // See ShiftObserver.
    }
  }
}

/** The commands of a run. */
type Commands = Pick<ShiftRun, 'runAgain' | 'runBeyond' | 'runBack'>;

/** What is known of an end beside the machine's state. */
interface EndNotes {
  readonly approvals?: readonly ShiftApproval[];
  readonly capacityProblem: string | undefined;
  readonly leaseProblem: string | undefined;
}

function nextCommands(
  { runAgain = 'run the same shift again', runBeyond, runBack: back }: Commands,
  { end: { pausedAt } }: ShiftEnded,
): NextCommands {
  const beyond =
    (pausedAt === undefined ? undefined : runBeyond?.(pausedAt)) ??
    `${runAgain}, allowed to go beyond that place`;
  return { runAgain, beyond, back };
}

/** What a person may run next. */
export interface NextCommands {
  /** Runs the shift again. */
  readonly runAgain: string;
  /** Runs it beyond the pause at which it has ended. */
  readonly beyond: string;
  /** Takes the traffic back instead. @default - no command does */
  readonly back: string | undefined;
}

/** The live weights and what to do, where a person has to know. */
function whatNow({ end, live }: ShiftEnded, { runAgain, beyond, back }: NextCommands): string[] {
  if (end.verdict === 'completed' || end.verdict === 'rolledBack') {
    return [];
  }
  const lines = live ? [`Live: ${formatWeights(live)}.`] : [];
  const toGoBack = back === undefined || end.finished ? [] : [`To take the traffic back: ${back}`];
  switch (end.advice) {
    case 'none':
      return lines;
    case 'runAgain':
      return [...lines, `To go on: ${runAgain}`, ...toGoBack];
    case 'resume':
      return [...lines, `To let it go on: ${beyond}`, ...toGoBack];
    case 'finishRollback':
      return [...lines, `To finish the rollback: ${runAgain}`];
  }
}
