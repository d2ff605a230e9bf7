import { systemClock, within } from '../../../core/async';
import { InvalidInput, errorLine } from '../../../core/validation/problems';
import { capacityLeftText, giveBackMs, giveBackRaised } from '../capacity';
import type { CapacityRecord } from '../capacity';
import { markEnded } from '../lease';
import type { ShiftOutcome, Verdict } from '../outcome';
import { runShift } from '../run-shift';
import type { ShiftRun } from '../shift-run';
import type { Weights } from '../weights';
import { initialWaves, nextWaves, wavesProblems } from './machine';
import type { WavesAction, WavesEvent, WavesPlan, WavesState } from './machine';

/** What `runWaves` takes. */
export interface WavesRun extends WavesPlan {
  /** Every shift by its name, with its own router, checks and lease. Signals are those of the waves. */
  readonly shifts: Readonly<Record<string, Omit<ShiftRun, 'signal' | 'kill' | 'keepRecord' | 'rollBack'>>>;
  /** Interrupts every shift that runs; no other one starts. @default - none */
  readonly signal?: AbortSignal;
  /** Ends all at once. @default - none */
  readonly kill?: AbortSignal;
}

/** What happened in waves. Times are ISO 8601 in UTC. */
export interface WavesOutcome {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** How all of it ended. */
  readonly verdict: Verdict;
  /** One line for a person. */
  readonly reason: string;
  /** Outcome of every shift; `null` for one that did not start. */
  readonly shifts: Readonly<Record<string, ShiftOutcome | null>>;
  /** Shifts that were rolled back because another one failed. */
  readonly reverted: Readonly<Record<string, ShiftOutcome>>;
  /** Leases of complete shifts whose record could not be marked as ended. @default - all were marked */
  readonly leaseProblems?: readonly string[];
  /** When this run began: ISO 8601 in UTC. */
  readonly startedAt: string;
  /** When this run ended: ISO 8601 in UTC. */
  readonly endedAt: string;
}

/**
 * Runs shifts in waves. A run that goes on after a kill starts with the first wave again: what is complete there bakes
 * once more, and still knows where it came from.
 *
 * @throws InvalidInput for waves that name an unknown shift, name one twice or leave one out
 */
export async function runWaves(run: WavesRun): Promise<WavesOutcome> {
  const problems = wavesProblems(run, Object.keys(run.shifts));
  if (problems.length > 0) {
    throw new InvalidInput('waves', problems);
  }
  return new WavesDriver(run).drive();
}

/** A lease that hangs must not keep waves from ending. */
const leaseTimeoutMs = 10_000;

class WavesDriver {
  private readonly clock = systemClock;
  private readonly startedAt: number;
  private readonly outcomes: Record<string, ShiftOutcome | null>;
  private readonly reverted: Record<string, ShiftOutcome> = {};
  private readonly stops = new Map<string, AbortController>();
  private readonly under: Promise<void>[] = [];
  private readonly leaseProblems: string[] = [];
  private state: WavesState;

  public constructor(private readonly run: WavesRun) {
    this.state = initialWaves(run);
    this.startedAt = this.now();
    this.outcomes = Object.fromEntries(Object.keys(run.shifts).map((shift) => [shift, null]));
  }

  public async drive(): Promise<WavesOutcome> {
    const { signal } = this.run;
    const interrupt = (): void => {
      this.tell({ type: 'interrupted' });
      this.stops.forEach((stop) => stop.abort());
    };
    signal?.addEventListener('abort', interrupt);
    try {
      if (signal?.aborted) {
        interrupt();
      }
      this.tell({ type: 'started' });
      // What is under way starts more.
      for (let next = this.under.shift(); next; next = this.under.shift()) {
        await next;
      }
    } finally {
      signal?.removeEventListener('abort', interrupt);
    }
    return {
      schemaVersion: 1,
      verdict: this.state.verdict!,
      reason: this.reason(),
      shifts: this.outcomes,
      reverted: this.reverted,
      ...(this.leaseProblems.length > 0 && { leaseProblems: this.leaseProblems }),
      startedAt: new Date(this.startedAt).toISOString(),
      endedAt: new Date(this.now()).toISOString(),
    };
  }

  private now(): number {
    return (Object.values(this.run.shifts)[0]?.clock ?? this.clock).now();
  }

  private tell(event: WavesEvent): void {
    const { state, actions } = nextWaves(this.run, this.state, event);
    this.state = state;
    for (const action of actions) {
      this.under.push(this.perform(action));
    }
  }

  private async perform({ type, shift }: WavesAction): Promise<void> {
    const { kill, shifts } = this.run;
    const one = shifts[shift]!;
    if (type === 'stop') {
      this.stops.get(shift)?.abort();
    } else if (type === 'forget') {
      await this.forget(one, this.outcomes[shift]?.final ?? null);
    } else if (type === 'run') {
      const stop = new AbortController();
      this.stops.set(shift, stop);
      const outcome = await runShift({ ...one, kill, signal: stop.signal, keepRecord: true });
      this.outcomes[shift] = outcome;
      this.tell({ type: 'ended', shift, verdict: outcome.verdict });
    } else {
      const { from, final } = this.outcomes[shift] ?? {};
      const known = { origin: from ?? undefined, left: final ?? undefined };
      const outcome = await runShift({
        ...one,
        ...known,
        kill,
        rollBack: `${this.state.failed} has failed.`,
      });
      this.reverted[shift] = outcome;
      this.tell({ type: 'returned', shift, verdict: outcome.verdict });
    }
  }

  private reason(): string {
    const { failed, interrupted } = this.state;
    if (failed !== null) {
      return `${failed}: ${this.outcomes[failed]!.reason}`;
    }
    const held = Object.entries(this.outcomes).find(([, outcome]) => outcome?.verdict === 'held');
    return held
      ? `${held[0]}: ${held[1]!.reason}`
      : interrupted
        ? 'Interrupted.'
        : this.run.waves.length === 1
          ? 'The wave is complete.'
          : `All ${this.run.waves.length} waves are complete.`;
  }

  /** Marks the record of a complete shift as ended. One that stays makes the next run bake again, and nothing worse. */
  private async forget(
    { lease, capacity }: Pick<ShiftRun, 'lease' | 'capacity'>,
    live: Weights | null,
  ): Promise<void> {
    const giving = capacity && {
      giveBack: async (raised: CapacityRecord, signal?: AbortSignal, at?: Weights) => {
        const left = await giveBackRaised(capacity, raised, at ?? null, signal);
        if (left) {
          this.leaseProblems.push(`${lease.name}: ${capacityLeftText(left.problem)}`);
        }
        return left;
      },
    };
    try {
      const ended = { at: this.now(), verdict: 'completed', live } as const;
      const timeoutMs = leaseTimeoutMs + (capacity ? giveBackMs : 0);
      const isDone = await within(timeoutMs, this.run.kill, async (signal) => {
        await markEnded(lease, ended, signal, giving);
        return true;
      });
      if (!isDone) {
        throw new Error('interrupted');
      }
    } catch (error) {
      this.leaseProblems.push(`The lease ${lease.name} could not be marked as ended: ${errorLine(error)}`);
    }
  }
}
