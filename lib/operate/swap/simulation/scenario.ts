import { swapPhases } from '../phases';
import type { SwapPhase } from '../phases';
import type { PhasePlan, SwapPlan } from '../plan';

/** Numbers from 0 to 1, the same ones for the same seed. */
export type Draw = () => number;

/** A generator of numbers: mulberry32, which is small, and even enough for a simulation. */
export function drawsFrom(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What becomes of a phase each time that it runs, so that a kill changes nothing about it. */
export type PhaseFate =
  | { readonly is: 'good' }
  /** It passes so long after it was first asked. */
  | { readonly is: 'late'; readonly ms: number }
  /** It fails for good so long after it was first asked. */
  | { readonly is: 'bad'; readonly ms: number }
  /** It never passes. */
  | { readonly is: 'never' };

/** What a person answers. */
export type PersonFate =
  | { readonly is: 'agrees' | 'refuses'; readonly ms: number }
  | { readonly is: 'silent' };

/** Something that somebody else does before the action with this number. */
export interface Meddling {
  readonly before: number;
  readonly does: 'addSlot' | 'addCluster' | 'moveWeights' | 'moveTraffic' | 'undo';
}

/** All that is drawn of a swap before it is played. */
export interface SwapScenario {
  readonly seed: number;
  readonly plan: SwapPlan;
  /** What becomes of the phases of the way forward. */
  readonly fates: Readonly<Record<SwapPhase, PhaseFate>>;
  /** What becomes of those of the way back. */
  readonly backFates: Readonly<Record<SwapPhase, PhaseFate>>;
  readonly people: Readonly<Record<SwapPhase, PersonFate>>;
  /** Numbers of actions in which the run is killed; in a deployment, after a part of it. */
  readonly kills: readonly number[];
  /** Numbers of actions before which it is interrupted. */
  readonly interrupts: readonly number[];
  /** Number of an action before which the run sleeps so long that another one takes its lease over, and plays. */
  readonly sleep?: number;
  /** Whether runs wait; else each one is begun when the one before says so. */
  readonly waits: boolean;
  readonly meddling: readonly Meddling[];
  /** From the run with this number on the way back is asked for. */
  readonly backFrom?: number;
  readonly backAndDelete: boolean;
}

const minute = 60_000;
const hour = 60 * minute;

/** Draws a swap. */
export function drawScenario(seed: number): SwapScenario {
  const draw = drawsFrom(seed);
  const isCalm = draw() < 0.5;
  const plan = drawPlan(draw);
  const backFrom = draw() < 0.2 ? 2 : undefined;
  const kills = places(draw, 8, backFrom === undefined ? 0 : 1);
  return {
    seed,
    plan,
    fates: forPhases(() => drawFate(draw)),
    people: forPhases(() => drawPerson(draw)),
    kills,
    interrupts: places(draw, 2),
    ...(draw() < 0.2 && { sleep: place(draw) }),
    waits: draw() < 0.8,
    meddling: isCalm || draw() < 0.5 ? [] : [{ before: place(draw), does: pick(draw, meddlings) }],
    ...(backFrom !== undefined && { backFrom }),
    backAndDelete: draw() < 0.5,
    backFates: forPhases(() => drawFate(draw)),
  };
}

const meddlings = ['addSlot', 'addCluster', 'moveWeights', 'moveTraffic', 'undo'] as const;

function drawPlan(draw: Draw): SwapPlan {
  return {
    fleet: 'apps',
    versions: draw() < 0.3 ? ['1.35', '1.36'] : ['1.35'],
    names: ['blue', 'green'],
    moves: draw() < 0.8 ? 'traffic' : 'hub',
    phases: forPhases((phase) => drawPhase(draw, phase)),
    ...(draw() < 0.1 && {
      windows: [{ days: [1, 2, 3, 4], from: 9 * 60, to: 16 * 60, timeZone: 'Europe/Berlin' }],
    }),
  };
}

function drawPhase(draw: Draw, phase: SwapPhase): PhasePlan {
  const onTimeout = pick(draw, ['hold', 'back', 'goOn'] as const);
  return {
    timeoutMs: 30 * minute,
    ...(draw() < 0.1 && { skip: true }),
    ...(phase === 'soak' && { leastMs: draw() * 12 * hour, everyMs: hour }),
    onFailure: draw() < 0.5 ? 'keep' : 'delete',
    ...(draw() < 0.15 && { approval: { timeoutMs: 10 * minute, onTimeout } }),
  };
}

/** Late ones are well within the time of a phase: they pass in any case. */
function drawFate(draw: Draw): PhaseFate {
  const drawn = draw();
  if (drawn < 0.8) {
    return { is: 'good' };
  }
  if (drawn < 0.9) {
    return { is: 'late', ms: draw() * 10 * minute };
  }
  return drawn < 0.97 ? { is: 'bad', ms: draw() * 10 * minute } : { is: 'never' };
}

function drawPerson(draw: Draw): PersonFate {
  const drawn = draw();
  if (drawn < 0.2) {
    return { is: 'silent' };
  }
  return { is: drawn < 0.85 ? 'agrees' : 'refuses', ms: draw() * 5 * minute };
}

function forPhases<Value>(make: (phase: SwapPhase) => Value): Record<SwapPhase, Value> {
  return Object.fromEntries(swapPhases.map((phase) => [phase, make(phase)])) as Record<SwapPhase, Value>;
}

/** A swap has about fifty actions. */
function place(draw: Draw): number {
  return Math.floor(draw() * 60);
}

function places(draw: Draw, most: number, least = 0): readonly number[] {
  const count = least + Math.floor(draw() ** 2 * (most + 1 - least));
  return Array.from({ length: count }, () => place(draw));
}

function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)]!;
}
