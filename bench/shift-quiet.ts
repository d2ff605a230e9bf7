import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPlan } from '../lib/shift/engine';
import { readPlan } from '../lib/shift/plan-file';
import type { Scenario, SimulationResult } from '../lib/shift/simulation';
import { readScenario, simulate } from '../lib/shift/simulation';
import { root } from './run-node';
import { quietHeading, withSection } from './sections';
import { table, whole } from './text';

/**
 * Shifts where hardly a visitor comes, with and without requests of the shift's own. Writes its section of docs/benchmarks.md:
 * `npx ts-node -T bench/shift-quiet.ts [RUNS]`.
 */
const runs = Number(process.argv[2] ?? 1_000);
const seed = 1;
const folder = join(root, 'examples', 'shift');
const plans = {
  'plan.yaml': readPlan(join(folder, 'plan.yaml')),
  'quiet.yaml': readPlan(join(folder, 'quiet.yaml')),
};
type PlanName = keyof typeof plans;

const read = (name: string): Scenario =>
  readScenario(readFileSync(join(folder, 'scenarios', `${name}.yaml`), 'utf8'), `${name}.yaml`);
const healthy = read('quiet-night');
const at = (perSecond: number, scenario = healthy): Scenario => ({ ...scenario, requests: { perSecond } });
const bursts = { dispersion: 0.001, persistence: 0.5 };

/** What is to come of a scenario: the share of runs that complete, or that are rolled back. */
interface QuietCase {
  readonly name: string;
  readonly scenario: Scenario;
  /** Least share of the runs with own requests. @default - no goal */
  readonly goal?: { readonly verdict: 'completed' | 'rolledBack'; readonly least: number };
}

const complete = { verdict: 'completed', least: 0.99 } as const;

const cases: readonly QuietCase[] = [
  { name: 'healthy, 0.2 a second', scenario: healthy, goal: complete },
  { name: 'healthy, 2 a second', scenario: at(2), goal: complete },
  { name: 'healthy, 5 a second', scenario: at(5), goal: complete },
  { name: 'healthy, 10 a second', scenario: at(10), goal: complete },
  { name: 'bursts, 0.2 a second', scenario: { ...healthy, bursts }, goal: complete },
  {
    name: 'a tenth of own requests is lost',
    scenario: { ...healthy, synthetic: { lost: 0.1 } },
    goal: complete,
  },
  {
    name: 'outage, 0.2 a second',
    scenario: read('quiet-outage'),
    goal: { verdict: 'rolledBack', least: 1 },
  },
  {
    name: 'one percent, 0.2 a second',
    scenario: read('quiet-one-percent'),
    goal: { verdict: 'rolledBack', least: 0.9 },
  },
  {
    name: 'one percent and bursts',
    scenario: { ...read('quiet-one-percent'), bursts },
    goal: { verdict: 'rolledBack', least: 0.9 },
  },
];

function measured(name: PlanName, scenario: Scenario): SimulationResult {
  const plan = plans[name];
  const shift = shiftPlan(plan.slots, plan.weights, plan.shift);
  return simulate({ plan: shift, checks: plan.checks, scenario, runs, seed });
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;

const rows = cases.map(({ name, scenario, goal }) => {
  process.stderr.write(`quiet hours: ${name}\n`);
  const without = measured('plan.yaml', scenario);
  const own = measured('quiet.yaml', scenario);
  const { verdicts, detection, exposedRequests } = own;
  const isMet = goal === undefined || verdicts[goal.verdict] >= goal.least * runs;
  return [
    name,
    percent(without.verdicts.completed / runs),
    percent(verdicts.completed / runs),
    percent(verdicts.rolledBack / runs),
    goal === undefined
      ? ''
      : `${goal.verdict === 'completed' ? 'completed' : 'rolled back'} ${percent(goal.least)}: ${isMet ? 'met' : '**missed**'}`,
    detection.runs > 0 && detection.seconds ? whole(detection.seconds.p50) : '',
    whole(exposedRequests.p50),
    whole(exposedRequests.p95),
    whole(own.writes.max),
  ];
});

const section = [
  quietHeading,
  '',
  `Measured ${new Date().toISOString().slice(0, 10)} with Node.js ${process.version}: ${whole(runs)} simulated runs of each scenario, with the same seeds (from ${seed}).`,
  '`plan.yaml` and `quiet.yaml` of `examples/shift` differ in `synthetic` alone: 5 requests a second to each slot. 0.1 % errors,',
  '5 % slow requests, metrics of a minute after another minute. In an outage every request to green fails.',
  '',
  ...table(
    [
      '',
      'completed, `plan.yaml`',
      'completed, `quiet.yaml`',
      'rolled back',
      'goal',
      'first visitor at green until found, s',
      "visitors' requests to a bad green",
      '95 % at most',
      'writes, most',
    ],
    rows,
  ),
  '',
  'Where nothing is given, no run found a fault. 0 s, without a write: found before the first percent.',
];
const file = join(root, 'docs', 'benchmarks.md');
const text = withSection(readFileSync(file, 'utf8'), quietHeading, section);
process.stdout.write(`${section.join('\n')}\n`);
if (runs >= 1_000) {
  writeFileSync(file, text);
}
