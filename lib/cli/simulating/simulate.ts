import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readPlan } from '../../plans';
import { readText } from '../../problems';
import { shiftPlan } from '../../shift';
import type { Simulation, SimulationResult } from '../../simulation';
import { readScenario } from '../../simulation';
import { jsonText, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import { makeReportFolder, saveReport } from '../report-folder';
import type { SimulateFlags } from './simulate-flags';
import { simulationLines } from './simulation-text';
import type { WorkerMessage } from './worker-message';

/**
 * Runs `cluster-canary simulate`.
 *
 * @throws InvalidInput with every problem of the plan, the scenario, the runs and the seed
 */
export async function simulatePlan(file: string, flags: SimulateFlags): Promise<void> {
  const { scenario: scenarioFile, runs, seed } = flags;
  const plan = readPlan(file);
  const scenario = readScenario(
    readText(scenarioFile, 'a scenario, in YAML or JSON'),
    scenarioFile,
    plan.slots,
  );
  const simulation: Simulation = {
    plan: shiftPlan(plan.slots, plan.weights, plan.shift),
    checks: plan.checks,
    scenario,
    runs,
    seed,
  };
  if (flags.report !== undefined) {
    makeReportFolder(flags.report);
  }
  const result = await simulated(simulation);
  await (flags.json === true
    ? writeDocument(jsonText(result))
    : writeOut(simulationLines(result, `${file} with ${scenarioFile}`)));
  if (flags.report !== undefined) {
    // The first of many runs is the one that a single run with this seed is.
    const { outcome } = runs === 1 ? result : await simulated({ ...simulation, runs: 1 });
    const heading = {
      title: `Simulated shift of ${file}`,
      note: `Scenario ${scenarioFile}, seed ${seed}${runs === 1 ? '' : `, the first of ${runs} runs`}. No traffic was moved.`,
    };
    saveReport(flags.report, outcome!, heading);
  }
}

/** In a thread of its own, so that an interrupt is heard while it runs. */
function simulated(simulation: Simulation): Promise<SimulationResult> {
  const progress = new Progress('runs simulated', { count: 0, total: simulation.runs });
  return new Promise<SimulationResult>((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'worker.js'), { workerData: simulation });
    worker.on('message', (message: WorkerMessage) => {
      if ('done' in message) {
        progress.update(message.done);
      } else if ('result' in message) {
        resolve(message.result);
      } else {
        reject(Object.assign(new Error(), message.error));
      }
    });
    worker.once('error', reject);
    // Of what has been settled already, nothing changes.
    worker.once('exit', (status) => reject(new Error(`the simulation ended early, with status ${status}`)));
  }).finally(() => progress.stop());
}
