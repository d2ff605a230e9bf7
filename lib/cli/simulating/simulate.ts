import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readPlan, readText } from '../../plans';
import { renderReport, writeReport } from '../../report';
import { shiftPlan } from '../../shift';
import type { Simulation, SimulationResult } from '../../simulation';
import { readScenario } from '../../simulation';
import { writeOut } from '../output';
import { Progress } from '../progress';
import type { SimulateFlags } from './simulate-flags';
import { simulationText } from './simulation-text';

/**
 * Runs `cluster-canary simulate`.
 *
 * @throws InvalidInput with every problem of the plan, the scenario, the runs and the seed
 */
export async function simulatePlan(file: string, flags: SimulateFlags): Promise<void> {
  const { scenario: scenarioFile, runs, seed } = flags;
  const plan = readPlan(file);
  const scenario = readScenario(readText(scenarioFile), scenarioFile, plan.slots);
  const simulation: Simulation = {
    plan: shiftPlan(plan.slots, plan.weights, plan.shift),
    checks: plan.checks,
    scenario,
    runs,
    seed,
  };
  if (flags.report !== undefined) {
    // A folder that can't be written is better known before than after many runs.
    mkdirSync(flags.report, { recursive: true });
  }
  const result = await simulated(simulation);
  await writeOut(
    flags.json === true
      ? `${JSON.stringify(result, null, 2)}\n`
      : simulationText(result, `${file} with ${scenarioFile}`),
  );
  if (flags.report !== undefined) {
    // The first of many runs is the one that a single run with this seed is.
    const { outcome } = runs === 1 ? result : await simulated({ ...simulation, runs: 1 });
    const heading = {
      title: `Simulated shift of ${file}`,
      note: `Scenario ${scenarioFile}, seed ${seed}${runs === 1 ? '' : `, the first of ${runs} runs`}. No traffic was moved.`,
    };
    const page = writeReport(flags.report, renderReport(outcome!, heading));
    process.stderr.write(`report: ${page}\n`);
  }
}

/** In a thread of its own, so that an interrupt is heard while it runs. */
function simulated(simulation: Simulation): Promise<SimulationResult> {
  const progress = new Progress(`simulating ${simulation.runs} runs`);
  return new Promise<SimulationResult>((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'worker.js'), { workerData: simulation });
    worker.once('message', (answer: { readonly result: SimulationResult } | { readonly error: ErrorText }) =>
      'result' in answer ? resolve(answer.result) : reject(Object.assign(new Error(), answer.error)),
    );
    worker.once('error', reject);
  }).finally(() => progress.stop());
}

/** What is left of an error that comes from another thread. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}
