import type { ShiftOutcome, Verdict } from '../engine';
import type { DemoFault } from './fleet';
import type { DemoRun } from './run-demo';
import type { DemoTraffic } from './world';

/** What `cluster-canary demo --json` prints. Times are ISO 8601 in UTC. */
export interface DemoResult {
  readonly schemaVersion: 1;
  readonly seed: number;
  /** When green was broken, the oldest first. */
  readonly faults: readonly {
    readonly fault: DemoFault;
    readonly from: string;
    /** `null` where it lasted to the end. */
    readonly until: string | null;
  }[];
  /** How the shift has to end; `null` where green was repaired in time, or a person took the way back: either is right. */
  readonly expected: Extract<Verdict, 'completed' | 'rolledBack'> | null;
  /** Whether it ended so. */
  readonly asExpected: boolean;
  /** From the first fault to the first check that failed; `null` without one of them. */
  readonly detectionSeconds: number | null;
  readonly traffic: DemoTraffic;
  /** What happened in the shift, as `cluster-canary shift --json` prints it. */
  readonly shift: ShiftOutcome;
}

/** What came of a demo, as a document. */
export function demoResult({ outcome, traffic, faults, takenBack }: DemoRun, seed: number): DemoResult {
  const expected = takenBack ? null : expectedVerdict(faults);
  const isEither = outcome.verdict === 'completed' || outcome.verdict === 'rolledBack';
  return {
    schemaVersion: 1,
    seed,
    faults: faults.map(({ fault, from, until }) => ({
      fault,
      from: iso(from),
      until: until === undefined ? null : iso(until),
    })),
    expected,
    asExpected: expected === null ? isEither : outcome.verdict === expected,
    detectionSeconds: detectionSeconds(outcome, faults),
    traffic,
    shift: outcome,
  };
}

function expectedVerdict(faults: DemoRun['faults']): DemoResult['expected'] {
  if (faults.length === 0) {
    return 'completed';
  }
  return faults.some(({ until }) => until === undefined) ? 'rolledBack' : null;
}

function detectionSeconds({ checks }: ShiftOutcome, [first]: DemoRun['faults']): number | null {
  const failed = first && checks.find(({ status, at }) => status === 'fail' && Date.parse(at) >= first.from);
  return failed ? (Date.parse(failed.at) - first.from) / 1_000 : null;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
