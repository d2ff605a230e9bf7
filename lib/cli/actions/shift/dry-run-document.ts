import type {
  Check,
  CheckStatus,
  Outlook,
  Schedule,
  ShiftEndRecord,
  Verdict,
  Weights,
} from '../../../shift/engine';

/** What `shift --dry-run --json` prints for one route. Times are seconds from the start. */
export interface DryRun {
  readonly schemaVersion: 1;
  readonly dryRun: true;
  readonly from: Weights;
  readonly to: Weights;
  /** Whether `from` was read from the router; else it is only taken to be so. */
  readonly live: boolean;
  /** Why the live weights could not be read; null where they were. */
  readonly problem: string | null;
  /** The record that the lease holds, and what this run does with it; null where there is none. */
  readonly record: DryRunRecord | null;
  /** Why the lease could not be read, or what it holds is no record; null where there is no problem. */
  readonly recordProblem: string | null;
  /** Who runs a shift of these weights now; null where no one does. */
  readonly heldBy: string | null;
  /** When that lease expires unless its holder renews it; null where no one holds it. */
  readonly heldUntil: string | null;
  /** What a failed check does. */
  readonly onFailure: 'rollback' | 'hold';
  /** How the run ends at once, without a write; null where it does not. */
  readonly ends: { readonly verdict: Verdict; readonly reason: string } | null;
  readonly steps: readonly {
    readonly atSeconds: number;
    /** Place on the way, in percent. */
    readonly percent: number;
    readonly weights: Weights;
    /** Place of the pause that comes before it. */
    readonly pauseBefore?: number;
    /** Whether it takes the traffic back. */
    readonly rollback?: boolean;
  }[];
  readonly bakeFromSeconds: number;
  readonly minimumSeconds: number;
  /** What a step, or a write, takes its time for. */
  readonly waits: readonly string[];
  readonly warnings: readonly string[];
  /** Names of the checks. */
  readonly checks: readonly string[];
  /** What checks would send to the slots on their own. */
  readonly sends: readonly {
    /** Name of the check. */
    readonly name: string;
    readonly what: string;
  }[];
  /** What checks say now of how far the first step may go. */
  readonly bounds: readonly {
    /** Name of the check. */
    readonly name: string;
    readonly status: CheckStatus;
    readonly reason: string;
  }[];
  /** The command that asks a slot past the weights, by the slots that have a preview. */
  readonly previews: Readonly<Record<string, string>>;
}

/** The record of the newest shift. Times are ISO 8601 in UTC. */
export interface DryRunRecord {
  readonly use: Outlook['use'];
  readonly from: Weights;
  readonly to: Weights;
  /** Weights that were written last, or were about to be. */
  readonly written: Weights;
  readonly startedAt: string;
  readonly rollingBack: boolean;
  /** How the shift ended; null while it is unfinished. */
  readonly ended: { readonly at: string; readonly verdict: ShiftEndRecord['verdict'] } | null;
}

/** The schedule of a shift as a document. */
export function dryRunOf(
  { from, to, steps, bakeFromMs, leastMs, warnings }: Schedule,
  checks: readonly Pick<Check, 'name' | 'sends'>[],
  problem?: string,
): DryRun {
  return {
    schemaVersion: 1,
    dryRun: true,
    from,
    to,
    live: problem === undefined,
    problem: problem ?? null,
    record: null,
    recordProblem: null,
    heldBy: null,
    heldUntil: null,
    onFailure: 'rollback',
    ends: null,
    steps: steps.map(({ atMs, ...step }) => ({ atSeconds: atMs / 1000, ...step })),
    bakeFromSeconds: bakeFromMs / 1000,
    minimumSeconds: leastMs / 1000,
    waits: [],
    warnings,
    checks: checks.map(({ name }) => name),
    sends: checks.flatMap(({ name, sends }) => (sends === undefined ? [] : [{ name, what: sends }])),
    bounds: [],
    previews: {},
  };
}
