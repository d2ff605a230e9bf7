import { equalWeights } from '../engine';
import type { CheckStatus, ShiftOutcome, Weights } from '../engine';

/** Weights that were live from one moment to another; milliseconds since the start of the shift. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly weights: Weights;
}

/** A write, with when it was. */
export interface WriteMoment {
  readonly at: number;
  readonly weights: Weights;
  readonly rollback: boolean;
}

/** A verdict of a check, with when it was. */
export interface CheckMoment {
  readonly at: number;
  readonly status: CheckStatus;
  readonly reason: string;
}

/** A shift as a chart shows it: everything by milliseconds since its start. */
export interface Timeline {
  /** Those that gain come first. */
  readonly slots: readonly string[];
  /** Slots that are to have more than before. */
  readonly gaining: readonly string[];
  readonly stretches: readonly Stretch[];
  readonly writes: readonly WriteMoment[];
  readonly checks: ReadonlyMap<string, readonly CheckMoment[]>;
  /** When it ended. */
  readonly end: number;
  /** When weights were found at the end that the shift did not write. */
  readonly foreign?: number;
  /** Where the chart ends. */
  readonly span: number;
}

/** A chart of no time at all would have no width. */
const shortest = 1000;

/** Share of the time that the last weights are drawn for at least: those of a rollback come at the very end. */
const tail = 0.05;

/** What is drawn of a shift; one that is not over has now as its end, and no final weights. */
export type DrawnShift = Pick<
  ShiftOutcome,
  'from' | 'to' | 'final' | 'startedAt' | 'endedAt' | 'writes' | 'checks'
>;

/** What happened over time. Nothing is in `stretches` where no weights could be read. */
export function timelineOf(outcome: DrawnShift): Timeline {
  const start = Date.parse(outcome.startedAt);
  const since = (time: string): number => Math.max(0, Date.parse(time) - start);
  const writes = outcome.writes.map(({ at, weights, rollback }) => ({
    at: since(at),
    weights,
    rollback: rollback === true,
  }));
  const checks = new Map<string, CheckMoment[]>();
  for (const { at, name, status, reason } of outcome.checks) {
    const moments = checks.get(name) ?? [];
    moments.push({ at: since(at), status, reason });
    checks.set(name, moments);
  }
  const end = Math.max(since(outcome.endedAt), shortest);
  const last = writes.at(-1)?.weights ?? outcome.from;
  const { final } = outcome;
  const isForeign = final !== null && last !== null && !equalWeights(last, final);
  const isLate = (writes.at(-1)?.at ?? 0) > end * (1 - tail);
  const span = isForeign || isLate ? end * (1 + tail) : end;
  const known = [
    ...(outcome.from === null ? [] : [{ at: 0, weights: outcome.from }]),
    ...writes,
    ...(isForeign ? [{ at: end, weights: final }] : []),
  ];
  const stretches = known.map(({ at, weights }, index) => ({
    from: at,
    to: Math.max(at, known[index + 1]?.at ?? span),
    weights,
  }));
  const slots = slotsOf(outcome);
  const gaining = slots.filter((slot) => weightOf(outcome.to, slot) > weightOf(outcome.from ?? {}, slot));
  return {
    slots: [...gaining, ...slots.filter((slot) => !gaining.includes(slot))],
    gaining,
    stretches,
    writes,
    checks,
    end,
    ...(isForeign ? { foreign: end } : {}),
    span,
  };
}

/** Every slot that is named anywhere, in the order in which the wanted weights name them. */
export function slotsOf({ from, to, final, writes, checks }: DrawnShift): readonly string[] {
  const weights = [to, from ?? {}, ...writes.map((write) => write.weights), final ?? {}];
  const figures = checks.flatMap((check) => check.figures.flatMap(({ slot }) => slot ?? []));
  return [...new Set([...weights.flatMap((each) => Object.keys(each)), ...figures])];
}

/** The weight of a slot; 0 where it has none. */
export function weightOf(weights: Weights, slot: string): number {
  return Object.hasOwn(weights, slot) ? weights[slot]! : 0;
}
