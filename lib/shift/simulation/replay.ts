import { checkBounds, withBounds } from '../checks';
import type { CheckBounds } from '../checks';
import { equalWeights, formatWeights, fullWeights } from '../engine';
import type { CheckRecord, CheckResult, ShiftOutcome, ShiftPlan, Verdict, Weights } from '../engine';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { CheckOfPlan, SimulatedCheck } from './checks';
import { conditionsOf } from './conditions';
import { Notes } from './notes';
import { runSimulated } from './simulated-shift';
import { World } from './world';

/** What a replay takes. */
export interface ReplayInput {
  /** The plan that is asked what it would have decided. */
  readonly plan: ShiftPlan;
  /** Checks of the plan, each an object with its kind and settings. */
  readonly checks: readonly CheckOfPlan[];
  /** What happened. */
  readonly outcome: ShiftOutcome;
}

/** One end of a shift, as it was or as it would have been. */
export interface ReplayEnd {
  /** How it ended; `open` where the record ends before this plan would have decided. */
  readonly verdict: Verdict | 'open';
  /** Why, for a person. */
  readonly reason: string;
  /** Names of the checks that failed. */
  readonly failed: readonly string[];
  /** When it was decided, in seconds from the start: when the traffic went back, or the end. */
  readonly atSeconds: number;
  /** Weights that were live when it was decided. */
  readonly weights: Weights | null;
}

/** What a plan would have decided on what happened then: what `cluster-canary simulate --from --json` prints. */
export interface ReplayResult {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** What happened. */
  readonly recorded: ReplayEnd;
  /** What this plan would have done. */
  readonly replayed: ReplayEnd;
  /** Whether both ended in the same way, by the same checks, at the same weights. */
  readonly same: boolean;
  /** Checks of the plan, and what their answers are. */
  readonly checks: readonly {
    /** Name of the check. */
    readonly name: string;
    /**
     * `bounds`: its figures, held against the bounds of this plan; `answers`: what it answered then, whatever this plan's settings
     * are; `missing`: it is not on record, and taken to pass.
     */
    readonly by: 'bounds' | 'answers' | 'missing';
  }[];
  /** Checks on record that the plan does not have. */
  readonly notAsked: readonly string[];
  /** The replayed shift as a real one would report it; its times are those of the record. */
  readonly outcome: ShiftOutcome;
}

/**
 * Runs the machine of real shifts with a plan against what checks have answered in a shift that has ended: at each moment a check
 * has the figures that it had as long after the start. Nothing is drawn: the same input gives the same result.
 *
 * Figures are those of the weights that were live then. Where the plan's weights differ by that time, what their figures would
 * have been is not known, and these are taken.
 *
 * @throws InvalidInput where the record can't say anything about the plan: other slots or weights, none of its checks
 */
export function replay({ plan, checks, outcome }: ReplayInput): ReplayResult {
  refuseForeign(plan, outcome);
  const start = Date.parse(outcome.startedAt);
  const endsMs = Date.parse(outcome.endedAt) - start;
  const ofPlan = checkBounds(checks);
  const onRecord = new Set(outcome.checks.map(({ name }) => name));
  const asked = ofPlan.filter(({ name }) => onRecord.has(name));
  if (asked.length === 0) {
    throw new InvalidInput('replay', [
      {
        path: 'shift.checks',
        value: ofPlan.map(({ name }) => name),
        allowed: `at least one check that is on record: ${[...onRecord].join(', ') || 'there is none'}`,
      },
    ]);
  }
  const conditions = {
    ...conditionsOf({ requests: { perSecond: 1 } }, plan.slots),
    // The last answers count once more, as long as a check is asked only so often.
    interruptAtMs: endsMs + plan.checkEveryMs,
  };
  const world = new World(conditions, fullWeights(plan.slots, outcome.from ?? {}), 1);
  const notes = new Notes();
  // Where the record ends nothing is decided: the traffic is not taken back for that.
  const shift = runSimulated(
    { ...plan, onInterrupt: 'hold' },
    asked.map((each) => replayed(each, outcome, start)),
    world,
    notes,
  );
  const moved = movedBy(start - world.startedAt, notes.outcome(plan, shift, world));
  const isOpen = Date.parse(moved.endedAt) - start >= endsMs + plan.checkEveryMs && moved.verdict === 'held';
  const recorded = endOf(outcome);
  const would = isOpen ? openEnd(moved, endsMs) : endOf(moved);
  return {
    schemaVersion: 1,
    recorded,
    replayed: would,
    same:
      recorded.verdict === would.verdict &&
      recorded.failed.join() === would.failed.join() &&
      equalWeights(recorded.weights ?? {}, would.weights ?? {}),
    checks: ofPlan.map(({ name, bounds }) => ({
      name,
      by: !onRecord.has(name) ? 'missing' : bounds.length > 0 ? 'bounds' : 'answers',
    })),
    notAsked: [...onRecord].filter((name) => !ofPlan.some((each) => each.name === name)),
    outcome: moved,
  };
}

function refuseForeign(plan: ShiftPlan, { from, to }: ShiftOutcome): void {
  const problems = new Problems('replay');
  const slots = [...plan.slots].sort().join(', ');
  if (from === null) {
    problems.add('from', null, 'the weights before the shift: it did not even read them');
  }
  if (Object.keys(to).sort().join(', ') !== slots) {
    problems.add('to', to, `weights of the slots of the plan: ${slots}`);
  } else if (!equalWeights(to, plan.wanted)) {
    problems.add('weights', plan.wanted, `those of the record: ${formatWeights(to)}`);
  }
  problems.throwIfAny();
}

/** A check that answers as it did, by the bounds of the plan. */
function replayed({ name, bounds }: CheckBounds, outcome: ShiftOutcome, start: number): SimulatedCheck {
  const own = outcome.checks
    .filter((record) => record.name === name)
    .map((record) => ({ atMs: Date.parse(record.at) - start, record }))
    .sort((one, other) => one.atMs - other.atMs);
  const stages = [...new Set(own.map(({ record }) => record.stage))];
  const byStage = new Map(stages.map((stage) => [stage, own.filter(({ record }) => record.stage === stage)]));
  return {
    name,
    stages,
    evaluate: ({ stage, to }, { startedAt }) => {
      const sinceMs = to - startedAt;
      const ofStage = byStage.get(stage) ?? [];
      const found = ofStage.filter(({ atMs }) => atMs <= sinceMs).at(-1) ?? early(ofStage[0], sinceMs);
      return found
        ? withBounds(resultOf(found.record), bounds)
        : { status: 'inconclusive', reason: 'it had not answered by then', figures: [] };
    },
  };
}

/** An answer takes some time to come; in the replay it is there at once. In milliseconds. */
const answersWithin = 60_000;

type Answer = { readonly atMs: number; readonly record: CheckRecord };

function early(first: Answer | undefined, sinceMs: number): Answer | undefined {
  return first && first.atMs - sinceMs <= answersWithin ? first : undefined;
}

function resultOf({
  at: _at,
  name: _name,
  stage: _stage,
  baseline: _baseline,
  ...result
}: CheckRecord): CheckResult {
  return result;
}

function endOf({ verdict, reason, failed = [], startedAt, endedAt, writes, from }: ShiftOutcome): ReplayEnd {
  const back = writes.findIndex(({ rollback }) => rollback === true);
  const forward = back < 0 ? writes : writes.slice(0, back);
  const at = back < 0 ? endedAt : writes[back]!.at;
  return {
    verdict,
    reason,
    failed,
    atSeconds: (Date.parse(at) - Date.parse(startedAt)) / 1_000,
    weights: forward.at(-1)?.weights ?? from,
  };
}

function openEnd(outcome: ShiftOutcome, endsMs: number): ReplayEnd {
  return {
    ...endOf(outcome),
    verdict: 'open',
    reason: 'The record ends before this plan would have decided: no check had failed by then.',
    failed: [],
    atSeconds: endsMs / 1_000,
  };
}

/** With the times of the record. */
function movedBy(byMs: number, outcome: ShiftOutcome): ShiftOutcome {
  const moved = (at: string): string => new Date(Date.parse(at) + byMs).toISOString();
  const each = <T extends { readonly at: string }>(list: readonly T[]): readonly T[] =>
    list.map((one) => ({ ...one, at: moved(one.at) }));
  return {
    ...outcome,
    startedAt: moved(outcome.startedAt),
    endedAt: moved(outcome.endedAt),
    writes: each(outcome.writes),
    checks: each(outcome.checks),
    log: each(outcome.log),
  };
}
