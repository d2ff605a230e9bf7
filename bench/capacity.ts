import { shiftPlan } from '../lib/shift/engine';
import type { CheckResult, ShiftPlan, Verdict, Weights } from '../lib/shift/engine';
import { conditionsOf, World } from '../lib/shift/simulation';
import type { Scenario } from '../lib/shift/simulation';
import { simulatedChecks } from '../lib/shift/simulation/checks';
import type { SimulatedCheck } from '../lib/shift/simulation/checks';
import { percentile } from '../lib/shift/simulation/percentiles';
import { runSimulated } from '../lib/shift/simulation/simulated-shift';
import { capacityWorld, isWithinReach, targetUtilization, withAllPods, withMaximum } from './capacity-worlds';
import type { CapacityWorld } from './capacity-worlds';

/** What became of one shift. */
export interface CapacityRun {
  readonly seed: number;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly seconds: number;
  /** How long the same shift takes with all pods there from the start. */
  readonly readySeconds: number;
  /** How long start time and autoscaler make it at the least: see `imposedSeconds`. */
  readonly imposedSeconds: number;
  readonly writes: number;
  /** Highest CPU utilization of green, relative to what its autoscaler aims at. */
  readonly peak: number;
  /** Fewest ready pods of blue, relative to those before the shift. */
  readonly leastOfOld: number;
  /** Whether the goals can be met: see `isWithinReach`. */
  readonly isWithinReach: boolean;
}

/** A way to shift. */
export interface CapacityContender {
  readonly name: string;
  readonly checks: () => readonly SimulatedCheck[];
  readonly prescales: boolean;
  /** What is another in its worlds. @default - nothing */
  readonly change?: (world: CapacityWorld) => CapacityWorld;
}

const slots = ['blue', 'green'];
const before: Weights = { blue: 100, green: 0 };
export const plan = shiftPlan(slots, { green: 100 });

/** The rule of a fixed measure: green needs 0.8 of the pods a percent that blue has now for its weight before. */
export const control: SimulatedCheck = {
  name: 'capacity',
  stages: ['before'],
  evaluate: ({ next }, world): CheckResult => {
    const [old, healthy] = [0, 1].map((slot) => world.traffic.targets(slot).healthy) as [number, number];
    const needed = Math.max(1, Math.ceil(0.8 * (old / before.blue!) * next!.green! - 1e-9));
    return {
      status: healthy >= needed ? 'pass' : 'inconclusive',
      reason: `${healthy} for ${next!.green} %, ${needed} needed`,
      figures: [],
    };
  },
};

export const contenders: readonly CapacityContender[] = [
  { name: 'with access', checks: ownChecks, prescales: true },
  { name: 'without access', checks: ownChecks, prescales: false },
  {
    name: 'without access, a maximum below the need',
    checks: ownChecks,
    prescales: false,
    change: withMaximum,
  },
  { name: 'control', checks: () => [control], prescales: false },
];

function ownChecks(): readonly SimulatedCheck[] {
  return simulatedChecks([{ targetHealth: {} }, { capacity: {} }]).checks;
}

/** @param readySeconds how long the same shift takes with all pods there from the start */
export function shiftIn(
  world: CapacityWorld,
  contender: CapacityContender,
  readySeconds = readySecondsOf(world),
): CapacityRun {
  const { seed } = world;
  const { scenario } = contender.change?.(world) ?? world;
  const own = runIn(scenario, seed, contender.checks(), contender.prescales);
  const { green, blue } = own.world.workloads;
  const { ended } = own.shift;
  return {
    seed,
    verdict: ended?.end.verdict ?? 'aborted',
    reason: ended?.end.reason ?? '',
    seconds: own.seconds,
    readySeconds,
    imposedSeconds: imposedSeconds(world, plan, contender.prescales),
    writes: own.shift.writes.length,
    peak: green!.seen.peakUtilization / targetUtilization,
    leastOfOld: blue!.seen.leastReady / world.peak,
    isWithinReach: contender.prescales || isWithinReach(world),
  };
}

function readySecondsOf(world: CapacityWorld): number {
  return runIn(withAllPods(world), world.seed, [], false).seconds;
}

function runIn(scenario: Scenario, seed: number, checks: readonly SimulatedCheck[], prescales: boolean) {
  const world = new World(conditionsOf(scenario, slots), before, seed);
  const shift = runSimulated(plan, checks, world, {}, prescales);
  return { world, shift, seconds: (world.now - world.startedAt) / 1000 };
}

const syncSeconds = 15;

/**
 * The least time of a shift that waits for pods and for nothing else.
 *
 * New pods are ready after a look of the autoscaler and their start time, and the shift sees them when it asks again. With
 * access, each step whose pods are not there waits for that once. Without, a step loads pods with at most 1.5 times what those
 * of the old slot had, and the next one waits for the pods that this makes the autoscaler add, at most twice as many or four
 * at each look.
 */
export function imposedSeconds(world: CapacityWorld, plan: ShiftPlan, prescales: boolean): number {
  const { peak, min, startSeconds } = world;
  const [every, ask, bake] = [plan.everyMs / 1000, plan.checkEveryMs / 1000, plan.bakeMs / 1000];
  let [seconds, pods, live] = [0, min, 0];
  if (prescales) {
    for (const place of plan.places) {
      const needed = Math.ceil((peak * place) / 100);
      seconds += (needed > pods ? syncSeconds + startSeconds + ask : 0) + every;
      pods = Math.max(pods, needed);
    }
    return seconds + bake;
  }
  while (live < 100) {
    const carried = Math.floor((150 * pods) / peak + 1e-9);
    const next = plan.places.find((place) => place > live)!;
    live = Math.min(next, Math.max(live + 1, carried));
    const needed = Math.ceil((peak * live) / 100);
    let wait = 0;
    for (; needed > 1.1 * pods; wait += syncSeconds) {
      wait ||= syncSeconds + startSeconds + ask;
      pods = Math.min(needed, Math.max(2 * pods, 4));
    }
    seconds += live === 100 ? every : Math.max(every, wait);
  }
  return seconds + bake;
}

/** What came of all worlds. */
export interface CapacitySummary {
  readonly name: string;
  readonly worlds: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Share of the shifts that complete in time: see `isInTime`. */
  readonly inTime: number;
  /** Time relative to that of a shift with all pods there from the start, of those that complete: p50 and p95. */
  readonly slowdown: readonly [number, number];
  /** Highest CPU utilization of green. */
  readonly peakUtilization: number;
  /** Shifts that loaded green more than the goal allows. */
  readonly aboveGoal: number;
  /** Fewest pods of blue, relative to those before the shift. */
  readonly leastOfOld: number;
  /** Worlds whose goals can't be met. */
  readonly outOfReach: number;
  /** Of those whose goals can be met, those that did not complete or loaded green too much. */
  readonly missed: number;
}

/** The most that green may be loaded, relative to what its autoscaler aims at. */
export function goalOf({ prescales }: CapacityContender): number {
  return prescales ? 1.1 : 1 / targetUtilization;
}

export function summaryOf(contender: CapacityContender, runs: readonly CapacityRun[]): CapacitySummary {
  const count = (verdict: Verdict) => runs.filter((run) => run.verdict === verdict).length;
  const isAbove = ({ peak }: CapacityRun) => peak > goalOf(contender) + 1e-9;
  const slowdowns = runs
    .filter(({ verdict }) => verdict === 'completed')
    .map(({ seconds, readySeconds }) => seconds / readySeconds);
  return {
    name: contender.name,
    worlds: runs.length,
    verdicts: {
      completed: count('completed'),
      rolledBack: count('rolledBack'),
      held: count('held'),
      aborted: count('aborted'),
    },
    inTime: runs.filter(isInTime).length / runs.length,
    slowdown: [percentile(slowdowns, 0.5), percentile(slowdowns, 0.95)],
    peakUtilization: Math.max(...runs.map(({ peak }) => peak)) * targetUtilization,
    aboveGoal: runs.filter(isAbove).length,
    leastOfOld: Math.min(...runs.map(({ leastOfOld }) => leastOfOld)),
    outOfReach: runs.filter((run) => !run.isWithinReach).length,
    missed: runs.filter((run) => run.isWithinReach && (run.verdict !== 'completed' || isAbove(run))).length,
  };
}

/** Whether it completes within twice the time of a shift with all pods there, or within the imposed time. */
export function isInTime({ verdict, seconds, readySeconds, imposedSeconds: imposed }: CapacityRun): boolean {
  return verdict === 'completed' && seconds <= Math.max(2 * readySeconds, imposed);
}

export function measureCapacity(worlds: number, firstSeed = 1): readonly CapacitySummary[] {
  const all = Array.from({ length: worlds }, (_, index) => {
    const world = capacityWorld(firstSeed + index);
    return { world, readySeconds: readySecondsOf(world) };
  });
  return contenders.map((contender) =>
    summaryOf(
      contender,
      all.map(({ world, readySeconds }) => shiftIn(world, contender, readySeconds)),
    ),
  );
}
