import type {
  CheckRecord,
  CheckResult,
  CheckStage,
  LogRecord,
  NamedResult,
  ShiftOutcome,
  ShiftPlan,
  Weights,
} from '../engine';
import type { PodsAtStep, SimulatedShift, SimulationObserver } from './simulated-shift';
import type { World } from './world';

/** Notes everything that happens in one run. */
export class Notes implements SimulationObserver {
  private readonly checks: {
    readonly at: number;
    readonly record: CheckRecord;
    readonly result: NamedResult;
  }[] = [];
  private readonly log: LogRecord[] = [];

  public checked(at: number, stage: CheckStage, results: readonly NamedResult[]): void {
    for (const result of results) {
      this.checks.push({ at, record: { ...result, stage, at: iso(at) }, result });
    }
  }

  public logged(at: number, text: string): void {
    this.log.push({ at: iso(at), text });
  }

  /** The weights that were written, each with the last answers while they stood. */
  public steps(shift: SimulatedShift, startedAt: number): SimulatedStep[] {
    return shift.writes.map(({ at, weights, rollback, pods }, index) => {
      const until = shift.writes[index + 1]?.at ?? Infinity;
      const last = new Map<string, NamedResult>();
      for (const check of this.checks) {
        // What is asked when a write comes next is still about the weights before it.
        if (check.at > at && check.at <= until) {
          last.set(check.result.name, check.result);
        }
      }
      const hasPods = Object.keys(pods).length > 0;
      return {
        atSeconds: (at - startedAt) / 1000,
        weights,
        rollback,
        ...(hasPods && { pods }),
        checks: [...last.values()],
      };
    });
  }

  /** The outcome as a real shift would report it. */
  public outcome(plan: ShiftPlan, shift: SimulatedShift, world: World): ShiftOutcome {
    const { ended } = shift;
    return {
      schemaVersion: 1,
      verdict: ended?.end.verdict ?? 'aborted',
      reason: ended?.end.reason ?? 'The shift was killed, and nobody ran it again.',
      ...(ended?.end.failed && { failed: ended.end.failed }),
      from: ended ? ended.origin : null,
      to: plan.wanted,
      final: world.weights,
      startedAt: iso(world.startedAt),
      endedAt: iso(world.now),
      writes: shift.writes.map(({ at, weights, rollback }) => ({
        at: iso(at),
        weights,
        ...(rollback ? { rollback } : {}),
      })),
      checks: this.checks.map(({ record }) => record),
      log: this.log,
    };
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Weights that were written, and what was last said of them. */
export interface SimulatedStep {
  /** Since the start of the shift. */
  readonly atSeconds: number;
  /** Weights of every slot. */
  readonly weights: Weights;
  /** Whether it was the rollback. */
  readonly rollback: boolean;
  /** Pods right after the write, by slot, of the slots with an autoscaler. @default - no slot has one */
  readonly pods?: Readonly<Record<string, PodsAtStep>>;
  /** The last answer of each check while they stood. */
  readonly checks: readonly (CheckResult & {
    /** Name of the check. */
    readonly name: string;
  })[];
}
