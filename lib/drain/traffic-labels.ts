import type { Weights } from '../shift';

/** Label of a cluster Secret that says what part its slot has in the traffic. */
export const trafficLabel = 'cluster-canary/traffic';

/** Label, with the value `true`, of the one slot that runs what may run once only. */
export const activeLabel = 'cluster-canary/active';

/**
 * - `live`: carries traffic, and has carried it before the shift that runs.
 * - `canary`: gets traffic by the shift that runs, and had none before.
 * - `standby`: has none.
 * - `draining`: has none any more, in a shift that may still take it back; or is being emptied.
 */
export type TrafficPart = 'live' | 'canary' | 'standby' | 'draining';

/** Where a shift stands. */
export interface TrafficState {
  /** Weights before the shift; `null` where none runs. */
  readonly from: Weights | null;
  /** Weights that stand now. */
  readonly live: Weights;
  /** Weights that the shift ends at. */
  readonly wanted: Weights;
}

/** The part of a slot in the traffic. */
export function trafficPart({ from, live, wanted }: TrafficState, slot: string): TrafficPart {
  const [before, now, then] = [from ?? live, live, wanted].map((weights) => weights[slot] ?? 0) as [
    number,
    number,
    number,
  ];
  if (now === 0) {
    return before > 0 && then === 0 ? 'draining' : 'standby';
  }
  return before === 0 ? 'canary' : 'live';
}

/** The part of every slot. */
export function trafficParts(state: TrafficState): Readonly<Record<string, TrafficPart>> {
  const slots = new Set(
    [state.from ?? {}, state.live, state.wanted].flatMap((weights) => Object.keys(weights)),
  );
  return Object.fromEntries([...slots].map((slot) => [slot, trafficPart(state, slot)]));
}

/**
 * The slot that is to be active when no shift runs: the one with the most traffic, and of several with as much, the one that
 * is active already, else the first.
 *
 * @returns undefined where no slot has traffic
 */
export function activeSlot(live: Weights, active: string | undefined): string | undefined {
  const most = Math.max(0, ...Object.values(live));
  const candidates = Object.keys(live).filter((slot) => live[slot] === most);
  return most === 0 ? undefined : candidates.includes(active ?? '') ? active : candidates[0];
}

/** Weights of several routes as one: a slot has traffic where it has some on any of them. */
export function joinedWeights(routes: readonly Weights[]): Weights {
  const sum: Record<string, number> = {};
  for (const [slot, weight] of routes.flatMap((weights) => Object.entries(weights))) {
    sum[slot] = (sum[slot] ?? 0) + weight;
  }
  return sum;
}
