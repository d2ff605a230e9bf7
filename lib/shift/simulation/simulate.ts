import { derivedSeed } from '../../core/random';
import { wholeNumber } from '../../core/validation/formats';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { CapacitySettings } from '../capacity';
import { assumedLiveWeights } from '../engine';
import type { ShiftOutcome, ShiftPlan, Verdict } from '../engine';
import { simulatedChecks } from './checks';
import type { CheckOfPlan } from './checks';
import { conditionsOf, requestsPerPod } from './conditions';
import { Notes } from './notes';
import type { SimulatedStep } from './notes';
import { highest, percentile, percentiles } from './percentiles';
import type { Percentiles } from './percentiles';
import type { Scenario } from './scenario';
import { scenarioProblems } from './scenario-schema';
import { runSimulated } from './simulated-shift';
import type { SimulatedShift } from './simulated-shift';
import { readyPods, runWorkloads, workloadSummary } from './workload-figures';
import type { RunWorkloads, SimulatedWorkload } from './workload-figures';
import { World } from './world';

/** What became of many simulated shifts: what `cluster-canary simulate --json` prints. */
export interface SimulationResult {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** How many shifts were simulated. */
  readonly runs: number;
  /** The seed that gives this result again. */
  readonly seed: number;
  /** Numbers of runs. A run that was killed for good counts as aborted. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Why the first run ended that has each of these verdicts; without `completed`. */
  readonly reasons: Readonly<Partial<Record<Verdict, string>>>;
  /** Requests that were sent to a bad slot. */
  readonly exposedRequests: Percentiles;
  /** Those of them that failed there. */
  readonly failedRequests: Percentiles;
  /** Changes of the weights. */
  readonly writes: {
    /** Of the run in the middle. */
    readonly p50: number;
    /** Of the run with the most. */
    readonly max: number;
  };
  /** How long a shift took. */
  readonly durationSeconds: Percentiles;
  /** Runs in which a check, or the deadline, ended the shift. */
  readonly detection: {
    /** With a slot that was bad before, whether or not a visitor's request had come to it. */
    readonly runs: number;
    /** With no slot that was bad before, by a check that failed. */
    readonly falseAlarms: number;
    /** With no slot that was bad before, by a check that was inconclusive for too long or by the deadline. */
    readonly undecided: number;
    /** From the first request to a bad slot to the decision, 0 where none had come; `null` without such a run. */
    readonly seconds: Percentiles | null;
    /** Requests to a bad slot until the decision. */
    readonly exposedRequests: Percentiles | null;
  };
  /** By slot, of the slots with an autoscaler. @default - no slot has one */
  readonly workloads?: Readonly<Record<string, SimulatedWorkload>>;
  /** Checks that can't be simulated: they were taken to pass. */
  readonly notSimulated: readonly string[];
  /** Of a single run only. */
  readonly steps?: readonly SimulatedStep[];
  /** Of a single run only: for a report. */
  readonly outcome?: ShiftOutcome;
}

/** What `simulate` takes. */
export interface Simulation {
  /** The plan of the shift. */
  readonly plan: ShiftPlan;
  /** Checks of the plan, each an object with its kind and settings. @default - none */
  readonly checks?: readonly CheckOfPlan[];
  /** What happens meanwhile. */
  readonly scenario: Scenario;
  /**
   * Whether the shift has access to the clusters, and raises the minimums of autoscalers before each step: as
   * `shift.capacity` of a plan file. Where its `scale` has no autoscalers, it does not.
   *
   * @default false
   */
  readonly capacity?: boolean | CapacitySettings;
  /** How many shifts are simulated, each with chances of its own. @default 1 */
  readonly runs?: number;
  /** The same seed gives the same result, in every version of Node.js. @default 1 */
  readonly seed?: number;
}

const mostRuns = 1_000_000;

const mostSeed = 2 ** 32 - 1;

/** What became of one run. */
interface Run {
  readonly shift: SimulatedShift;
  readonly verdict: Verdict;
  readonly exposedRequests: number;
  readonly failedRequests: number;
  readonly seconds: number;
  readonly workloads: RunWorkloads;
  /** From the first request to a bad slot to the decision; unset without a cause or without a decision. */
  readonly detectionSeconds: number | undefined;
}

/**
 * Runs the machine of real shifts against a scenario, many times, on a clock of its own: how often it would roll back,
 * what users would have met, how long it would take. Nothing outside of the process is asked or changed.
 *
 * Checks of shares, comparisons, target health and capacity are evaluated from the simulated traffic by the functions that
 * evaluate real ones; others can't be simulated, and pass. A pause lasts no time.
 *
 * @param onRun is told before each run how many are done
 * @throws InvalidInput with every problem of the scenario, the runs and the seed
 */
export function simulate(
  simulation: Simulation,
  onRun: (done: number) => void = () => undefined,
): SimulationResult {
  const { plan, scenario, runs = 1, seed = 1, checks = [], capacity = false } = simulation;
  check(simulation);
  const conditions = conditionsOf(scenario, plan.slots);
  const live = scenario.live ?? assumedLiveWeights(plan.slots, plan.wanted);
  const { checks: asked, notSimulated, historyMinutes } = simulatedChecks(checks);
  const notes = new Notes();
  let single: Pick<SimulationResult, 'steps' | 'outcome'> = {};
  const done: Run[] = [];
  for (let run = 0; run < runs; run += 1) {
    onRun(run);
    const world = new World(conditions, live, derivedSeed(seed, run), historyMinutes);
    const before = readyPods(world);
    const shift = runSimulated(plan, asked, world, runs === 1 ? notes : undefined, raisesMinimums(capacity));
    done.push(runOf(shift, world, before));
    if (runs === 1) {
      single = { steps: notes.steps(shift, world.startedAt), outcome: notes.outcome(plan, shift, world) };
    }
  }
  const workloads = workloadSummary(done.map((run) => run.workloads));
  return { ...summary(done, seed), ...(workloads && { workloads }), notSimulated, ...single };
}

function raisesMinimums(capacity: NonNullable<Simulation['capacity']>): boolean {
  const { scale = 'hpa' } = typeof capacity === 'object' ? capacity : {};
  return capacity !== false && [scale].flat().some((each) => each !== 'replicas');
}

function check({ plan, scenario, runs = 1, seed = 1 }: Simulation): void {
  const problems = new Problems('simulation');
  problems.check('runs', runs, wholeNumber(1, mostRuns));
  problems.check('seed', seed, wholeNumber(0, mostSeed));
  const found = scenarioProblems(scenario, plan.slots);
  problems.addAll(found.length > 0 ? found : unmeasured(plan, scenario), 'scenario');
  if (problems.all.length > 0) {
    throw new InvalidInput('simulation', problems.all);
  }
}

/** Autoscalers of which it is not known what a pod serves. */
function unmeasured({ slots, wanted }: ShiftPlan, scenario: Scenario): readonly Problem[] {
  const live = scenario.live ?? assumedLiveWeights(slots, wanted);
  return requestsPerPod(conditionsOf(scenario, slots), live) !== undefined
    ? []
    : slots
        .filter((slot) => {
          const autoscaler = scenario.slots?.[slot]?.autoscaler;
          return autoscaler !== undefined && autoscaler.requestsPerPod === undefined;
        })
        .map((slot) => ({
          path: `slots.${slot}.autoscaler.requestsPerPod`,
          kind: 'required',
          allowed: 'a number above 0, unless a slot with traffic at the start has autoscaler.replicas',
        }));
}

function runOf(shift: SimulatedShift, world: World, before: Readonly<Record<string, number>>): Run {
  const { requests, failed, since } = world.traffic.exposure;
  const { detectedAt, wasBad } = shift;
  return {
    shift,
    verdict: shift.ended?.end.verdict ?? 'aborted',
    exposedRequests: requests,
    failedRequests: failed,
    seconds: (world.now - world.startedAt) / 1000,
    workloads: runWorkloads(world, before),
    detectionSeconds:
      detectedAt === undefined
        ? undefined
        : since !== undefined && since < detectedAt
          ? (detectedAt - since) / 1000
          : // A check that asks slots past the weights finds a bad one before any request of a visitor.
            wasBad
            ? 0
            : undefined,
  };
}

function reasonsOf(runs: readonly Run[]): SimulationResult['reasons'] {
  const reasons: Partial<Record<Verdict, string>> = {};
  for (const { verdict, shift } of runs) {
    if (verdict !== 'completed' && shift.ended) {
      reasons[verdict] ??= shift.ended.end.reason;
    }
  }
  return reasons;
}

function summary(runs: readonly Run[], seed: number): Omit<SimulationResult, 'notSimulated'> {
  const count = (verdict: Verdict) => runs.filter((run) => run.verdict === verdict).length;
  const writes = runs.map(({ shift }) => shift.writes.length);
  const decided = runs.filter(({ shift }) => shift.detectedAt !== undefined);
  const detected = decided.filter(({ detectionSeconds }) => detectionSeconds !== undefined);
  const without = decided.filter(({ detectionSeconds }) => detectionSeconds === undefined);
  const falseAlarms = without.filter(({ shift }) => shift.checkFailed).length;
  return {
    schemaVersion: 1,
    runs: runs.length,
    seed,
    verdicts: {
      completed: count('completed'),
      rolledBack: count('rolledBack'),
      held: count('held'),
      aborted: count('aborted'),
    },
    reasons: reasonsOf(runs),
    exposedRequests: percentiles(runs.map(({ exposedRequests }) => exposedRequests)),
    failedRequests: percentiles(runs.map(({ failedRequests }) => failedRequests)),
    writes: { p50: percentile(writes, 0.5), max: highest(writes) },
    durationSeconds: percentiles(runs.map(({ seconds }) => seconds)),
    detection: {
      runs: detected.length,
      falseAlarms,
      undecided: without.length - falseAlarms,
      seconds: detected.length > 0 ? percentiles(detected.map((run) => run.detectionSeconds!)) : null,
      exposedRequests:
        detected.length > 0 ? percentiles(detected.map(({ shift }) => shift.exposedAtDetection)) : null,
    },
  };
}
