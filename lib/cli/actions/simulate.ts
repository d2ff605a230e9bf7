import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Problems, readText } from '../../core/validation/problems';
import { failedChecks, formatResult, formatRoundedDuration, shiftPlan } from '../../shift/engine';
import type { ShiftOutcome, Verdict } from '../../shift/engine';
import { readPlan } from '../../shift/plan-file';
import { readScenario } from '../../shift/simulation';
import type { Percentiles, Simulation, SimulationResult } from '../../shift/simulation';
import { hangingLines, jsonText, writeDocument, writeOut } from '../output';
import { Progress } from '../progress';
import { makeReportFolder, saveReport } from '../written-files';
import type { WorkerMessage } from './simulate-worker';

const words: readonly (readonly [Verdict, string])[] = [
  ['completed', 'completed'],
  ['rolledBack', 'rolled back'],
  ['held', 'held'],
  ['aborted', 'aborted'],
];

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

const seconds = (value: number): string => formatRoundedDuration(value * 1000);

/** What came of many simulated shifts, for a person, a line each. */
export function simulationLines(result: SimulationResult, what: string): readonly string[] {
  const { runs, seed, verdicts, detection, writes, notSimulated } = result;
  const verdictRows = words
    .filter(([verdict]) => verdicts[verdict] > 0)
    .map(([verdict, word]) => [word, count(verdicts[verdict]), share(verdicts[verdict], runs)]);
  const figureRows = [
    ['', 'median', '95 % at most'],
    row('requests to a bad slot', result.exposedRequests, count),
    row('of them failed', result.failedRequests, count),
    row('duration', result.durationSeconds, seconds),
    ...(detection.seconds === null ? [] : [row('until it was noticed', detection.seconds, seconds)]),
    ['writes', count(writes.p50), `${count(writes.max)} (most)`],
  ];
  const lines = [
    `${count(runs)} ${runs === 1 ? 'run' : 'runs'} of ${what}, seed ${seed}`,
    '',
    ...columns(verdictRows),
    '',
    ...columns(figureRows),
    '',
    ...podLines(result),
    ...(detection.falseAlarms === 0
      ? []
      : [`False alarms: ${count(detection.falseAlarms)}, no slot was bad before.`]),
    ...(detection.undecided === 0
      ? []
      : [`Without a verdict in time: ${count(detection.undecided)}, no slot was bad before.`]),
    ...(result.outcome === undefined
      ? words.flatMap(([verdict, word]) => {
          const reason = result.reasons[verdict];
          return reason === undefined ? [] : hangingLines(`The first that was ${word}: ${reason}`);
        })
      : []),
    ...(notSimulated.length === 0 ? [] : [`Not simulated, taken to pass: ${notSimulated.join(', ')}.`]),
    ...(result.outcome === undefined ? [] : outcomeLines(result.outcome)),
  ];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** What came of the only run. */
function outcomeLines(outcome: ShiftOutcome): readonly string[] {
  return [
    ...hangingLines(outcome.reason),
    ...failedChecks(outcome).map((check) => `  failed  ${formatResult(check)}`),
  ];
}

/** A line for each slot with an autoscaler. */
function podLines({ workloads = {} }: SimulationResult): readonly string[] {
  const lines = Object.entries(workloads).map(([slot, { pods, peakUtilization }]) => {
    const peak = `CPU at most ${percent(peakUtilization.max)}`;
    const counts = `pods: ${pods.before} before, ${pods.least} to ${pods.most} meanwhile, ${pods.after} at the end`;
    return `  ${slot}, ${counts}; ${peak}`;
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

function row(name: string, { p50, p95 }: Percentiles, text: (value: number) => string): readonly string[] {
  return [name, text(p50), text(p95)];
}

function share(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}

/** Names at the left, figures at the right of their columns. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map(([name = '', ...figures]) => {
    const aligned = figures.map((figure, index) => figure.padStart(widths[index + 1]!));
    return `  ${[name.padEnd(widths[0]!), ...aligned].join('  ')}`;
  });
}

/**
 * Runs `cluster-canary simulate`.
 *
 * @throws InvalidInput with every problem of the plan, the scenario, the runs and the seed
 */
export async function simulatePlan(file: string, scenarioFile: string, flags: SimulateFlags): Promise<void> {
  const { runs = 1000, seed = 1, route } = flags;
  const problems = new Problems('simulate');
  if (route !== undefined) {
    problems.conflicts('--route', '--scenario, whose shift has one route');
  }
  problems.throwIfAny();
  const plan = readPlan(file);
  const scenario = readScenario(
    readText(scenarioFile, 'a scenario, in YAML or JSON'),
    scenarioFile,
    plan.slots,
  );
  const simulation: Simulation = {
    plan: shiftPlan(plan.slots, plan.weights, plan.shift),
    checks: plan.checks,
    capacity: plan.capacity ?? false,
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
    const worker = new Worker(join(__dirname, 'simulate-worker.js'), { workerData: simulation });
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

/** What `cluster-canary simulate` takes beside the plan. */
export interface SimulateFlags {
  readonly scenario?: string;
  /** A shift that is replayed in place of a scenario. */
  readonly from?: string;
  readonly route?: string;
  /** Of a scenario. @default 1 */
  readonly seed?: number;
  /** Of a scenario. @default 1000 */
  readonly runs?: number;
  readonly json?: boolean;
  readonly report?: string;
}
