import { InvalidInput, Problems, wholeNumber } from '../problems';
import type { ShiftPlan, Verdict } from '../shift';
import { weightsBefore } from '../shift';
import { conditionsOf } from './conditions';
import { derivedSeed } from './random';
import type { SimulationResult } from './result';
import { percentile, percentiles } from './result';
import type { Scenario } from './scenario';
import { scenarioProblems } from './scenario-schema';
import type { CheckOfPlan } from './simulated-check';
import { simulatedChecks } from './simulated-checks';
import type { SimulatedShift } from './simulated-shift';
import { runSimulated } from './simulated-shift';
import { Notes } from './single-run';
import { World } from './world';

/** What `simulate` takes. */
export interface Simulation {
  /** The plan of the shift. */
  readonly plan: ShiftPlan;
  /** Checks of the plan, each an object with its kind and settings. @default - none */
  readonly checks?: readonly CheckOfPlan[];
  /** What happens meanwhile. */
  readonly scenario: Scenario;
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
  /** From the first request to a bad slot to the decision; unset without a cause or without a decision. */
  readonly detectionSeconds: number | undefined;
}

/**
 * Runs the machine of real shifts against a scenario, many times, on a clock of its own: how often it would roll back,
 * what users would have met, how long it would take. Nothing outside of the process is asked or changed.
 *
 * Checks of shares, comparisons, target health and capacity are judged from the simulated traffic by the functions that
 * judge real ones; others can't be simulated, and pass. A pause lasts no time.
 *
 * @param onRun is told before each run how many are done
 * @throws InvalidInput with every problem of the scenario, the runs and the seed
 */
export function simulate(
  simulation: Simulation,
  onRun: (done: number) => void = () => undefined,
): SimulationResult {
  const { plan, scenario, runs = 1, seed = 1, checks = [] } = simulation;
  check(simulation);
  const conditions = conditionsOf(scenario, plan.slots);
  const live = scenario.live ?? weightsBefore(plan.slots, plan.wanted);
  const { checks: asked, notSimulated, historyMinutes } = simulatedChecks(checks);
  const notes = new Notes();
  let single: Pick<SimulationResult, 'steps' | 'outcome'> = {};
  const done: Run[] = [];
  for (let run = 0; run < runs; run += 1) {
    onRun(run);
    const world = new World(conditions, live, derivedSeed(seed, run), historyMinutes);
    const shift = runSimulated(plan, asked, world, runs === 1 ? notes : undefined);
    done.push(runOf(shift, world));
    if (runs === 1) {
      single = { steps: notes.steps(shift, world.startedAt), outcome: notes.outcome(plan, shift, world) };
    }
  }
  return { ...summary(done, seed), notSimulated, ...single };
}

function check({ plan, scenario, runs = 1, seed = 1 }: Simulation): void {
  const problems = new Problems('simulation');
  problems.check('runs', runs, wholeNumber(1, mostRuns));
  problems.check('seed', seed, wholeNumber(0, mostSeed));
  problems.addAll(scenarioProblems(scenario, plan.slots), 'scenario');
  if (problems.all.length > 0) {
    throw new InvalidInput('simulation', problems.all);
  }
}

function runOf(shift: SimulatedShift, world: World): Run {
  const { requests, failed, since } = world.traffic.exposure;
  const { detectedAt } = shift;
  return {
    shift,
    verdict: shift.ended?.end.verdict ?? 'aborted',
    exposedRequests: requests,
    failedRequests: failed,
    seconds: (world.now - world.startedAt) / 1000,
    detectionSeconds:
      detectedAt === undefined || since === undefined || since >= detectedAt
        ? undefined
        : (detectedAt - since) / 1000,
  };
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
    exposedRequests: percentiles(runs.map(({ exposedRequests }) => exposedRequests)),
    failedRequests: percentiles(runs.map(({ failedRequests }) => failedRequests)),
    writes: { p50: percentile(writes, 0.5), max: Math.max(...writes) },
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
