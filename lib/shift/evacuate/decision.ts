import { nearestPercents } from '../routers';
import type { RawWeights } from '../routers';
import type { CapacityRecord, ShiftRecord, Weights } from '../engine';

/** What is known of one route whose slot is evacuated. */
export interface EvacuatedRoute {
  /** Live weights of every slot, on any scale. */
  readonly live: RawWeights;
  /** Healthy targets of each slot; a slot without a figure has no health that could be read, as records have none. */
  readonly healthy: Readonly<Record<string, number>>;
  /** The newest record of the route's lease. @default - none */
  readonly record?: ShiftRecord;
}

/** What an evacuation is asked for. */
export interface EvacuationRequest {
  /** Name of the slot whose traffic is taken away. */
  readonly slot: string;
  /** Slot that gets all of it. @default - the others in proportion; where they have none, what the record says */
  readonly to?: string;
  /** Whether a slot without a healthy target may get traffic. @default false */
  readonly force?: boolean;
}

/** What to do with one route. */
export type EvacuationDecision =
  /** The slot has no traffic there. */
  | { readonly kind: 'none' }
  /** Write these weights: whole percents that add up to 100. */
  | { readonly kind: 'write'; readonly weights: Weights; readonly because: string }
  /** No slot can take the traffic. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Where the traffic of a slot goes, in this order: the slot that was asked for; the other slots in proportion, if they have
 * weight; the newest recorded weights without the slot. Of these, a slot without a healthy target gets nothing.
 */
export function evacuationOf(route: EvacuatedRoute, request: EvacuationRequest): EvacuationDecision {
  const { live, healthy, record } = route;
  const { slot, to, force = false } = request;
  if ((live[slot] ?? 0) === 0) {
    return { kind: 'none' };
  }
  const isAble = (each: string): boolean => force || healthy[each] !== 0;
  const others = Object.keys(live).filter((each) => each !== slot);
  const evacuated = record?.evacuated?.slots ?? [];
  const able = others.filter(isAble);
  const write = (raw: RawWeights, because: string): EvacuationDecision => ({
    kind: 'write',
    weights: { ...Object.fromEntries(Object.keys(live).map((each) => [each, 0])), ...nearestPercents(raw) },
    because,
  });
  if (to !== undefined) {
    return !others.includes(to)
      ? refuse(route, `it has no other slot ${to}`)
      : isAble(to)
        ? write({ [to]: 1 }, `all to ${to}, as asked for`)
        : refuse(route, `${to} has no healthy target; --force sends the traffic there all the same`);
  }
  const rest = part(live, able);
  if (rest) {
    return write(rest, 'the others in proportion');
  }
  for (const weights of recordedWeights(record)) {
    const recorded = part(
      weights,
      able.filter((each) => !evacuated.includes(each)),
    );
    if (recorded) {
      return write(recorded, 'the newest recorded weights without it');
    }
  }
  return refuse(
    route,
    'no other slot has weight and a healthy target, and no record says where the traffic was before; ' +
      '--to names a slot, --force takes one without a healthy target',
  );
}

/** The weights of some slots, if any of them has some. */
function part(weights: RawWeights, slots: readonly string[]): RawWeights | undefined {
  const some = slots.flatMap((slot) => {
    const weight = weights[slot] ?? 0;
    return weight > 0 ? [[slot, weight] as const] : [];
  });
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

/** Weights that were live, the newest first. */
function recordedWeights(record: ShiftRecord | undefined): readonly Weights[] {
  if (!record) {
    return [];
  }
  const { ended, written, before = [], origin } = record;
  return [...(ended?.live ? [ended.live] : []), written, ...[...before].reverse(), origin];
}

function refuse({ live, healthy }: EvacuatedRoute, why: string): EvacuationDecision {
  const found = Object.keys(live).map((slot) => {
    const targets = healthy[slot];
    const health =
      targets === undefined ? '' : `, ${targets} healthy ${targets === 1 ? 'target' : 'targets'}`;
    return `${slot}: weight ${live[slot]}${health}`;
  });
  return { kind: 'refused', why: `${why} (${found.join('; ')})` };
}

/**
 * The record that an evacuation leaves: no shift gives the slots traffic again until a program wants them to have none.
 *
 * @param evacuated names of the slots
 */
export function evacuationRecord(
  record: ShiftRecord | undefined,
  evacuated: readonly string[],
  { before, after, wanted, at, by, raised = record?.raised }: EvacuationChange,
): ShiftRecord {
  // A slot that is given the traffic of another one is in use again.
  const earlier = (record?.evacuated?.slots ?? []).filter((each) => (after?.[each] ?? 0) === 0);
  const slots = [...new Set([...earlier, ...evacuated])];
  // Where the traffic came from is what a later evacuation goes by: one that changed nothing does not write over it.
  const history =
    record && (after === null || before === after)
      ? record
      : { origin: before, wanted, written: after ?? before, startedAt: at };
  // What is raised may be noted after the weights.
  const isNoted = after === null && slots.every((slot) => record?.evacuated?.slots.includes(slot) === true);
  const ended = isNoted ? record?.ended : undefined;
  return {
    ...history,
    ended: ended ?? { at, verdict: 'evacuated', live: after },
    evacuated: { slots, by },
    // The next shift gives it back.
    ...(raised && { raised }),
  };
}

/** What an evacuation changed on one route. */
export interface EvacuationChange {
  /** Weights before it, as whole percents. */
  readonly before: Weights;
  /** Weights after it: the same object where it changed nothing, `null` where they could not be written. */
  readonly after: Weights | null;
  /** Weights that were decided. */
  readonly wanted: Weights;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Who did it. */
  readonly by: string;
  /** Capacity that was raised, of an earlier shift included. @default - what the record has */
  readonly raised?: CapacityRecord;
}
