import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schedule, shiftPlan } from '../../lib/shift/engine';
import { readPlan } from '../../lib/shift/plan-file';
import type { Scenario } from '../../lib/shift/simulation';
import { readScenario, simulate } from '../../lib/shift/simulation';

const folder = resolve(__dirname, '../../examples/shift');
const plan = readPlan(join(folder, 'plan.yaml'));
const shift = shiftPlan(plan.slots, plan.weights, plan.shift);
const scenarios = join(folder, 'scenarios');
const read = (name: string) =>
  readScenario(readFileSync(join(scenarios, `${name}.yaml`), 'utf8'), `${name}.yaml`, plan.slots);
const runs = 60;
const run = (scenario: Scenario) => simulate({ plan: shift, checks: plan.checks, scenario, runs, seed: 1 });

test('the plan goes from 1 % to all of it, in 24 minutes at least', () => {
  const { steps, leastMs } = schedule({ blue: 100, green: 0 }, shift);
  expect(steps.map(({ weights }) => weights.green)).toEqual([1, 2, 5, 10, 25, 50, 100]);
  expect(leastMs).toBe(24 * 60_000);
});

test('every scenario is tried below', () => {
  expect(readdirSync(scenarios).sort()).toEqual(
    ['autoscaler', 'flapping-source', 'healthy', 'latency', 'one-percent', 'outage', 'quiet-night'].map(
      (name) => `${name}.yaml`,
    ),
  );
});

test.each(['outage', 'one-percent', 'latency'])(
  '%s: is rolled back, before green has more than 5 %%',
  (name) => {
    const { verdicts, detection, durationSeconds, exposedRequests, notSimulated } = run(read(name));
    expect(verdicts.rolledBack).toBeGreaterThanOrEqual(name === 'outage' ? runs : 0.9 * runs);
    expect(detection.runs).toBe(verdicts.rolledBack);
    expect(exposedRequests.p95).toBeLessThan(0.05 * 1000 * durationSeconds.p95);
    expect(notSimulated).toEqual([]);
  },
);

test.each(['healthy', 'flapping-source'])('%s: at most one in twenty is rolled back', (name) => {
  const { verdicts } = run(read(name));
  expect(verdicts.rolledBack).toBeLessThanOrEqual(0.05 * runs);
  expect(verdicts.completed + verdicts.rolledBack).toBe(runs);
});

const bursts = { dispersion: 0.001, persistence: 0.5 };
const cold = { green: { cold: { lasts: '1m', errorShare: 0.05, slowShare: 0.5 } } };

test.each<[string, Partial<Scenario>]>([
  ['bursts', { bursts }],
  ['bursts of both slots', { bursts: { ...bursts, shared: true } }],
  ['a cold first minute', { slots: cold }],
  ['bursts and a cold first minute', { bursts, slots: cold }],
])('healthy but for %s: at most one in twenty is rolled back', (_, more) => {
  expect(run({ ...read('healthy'), ...more }).verdicts.completed).toBeGreaterThanOrEqual(0.95 * runs);
});

test('quiet night: says that it has seen too little, and takes back what little it moved', () => {
  const { verdicts, detection } = run(read('quiet-night'));
  expect(verdicts.rolledBack).toBe(runs);
  expect(detection).toMatchObject({ runs: 0, falseAlarms: 0, undecided: runs });
});

test.each([
  ['follows the pods of green', false, 1, 2],
  ['raises minimums first', true, 0.66, 20],
] as const)('autoscaler: completes, and %s', (_, capacity, most, leastOfBlue) => {
  const { verdicts, workloads = {} } = simulate({
    ...{ plan: shift, checks: plan.checks, scenario: read('autoscaler'), runs, seed: 1 },
    capacity: capacity ? {} : false,
  });
  expect(verdicts.completed).toBeGreaterThanOrEqual(0.95 * runs);
  expect(workloads['green']!.peakUtilization.max).toBeLessThan(most);
  expect(workloads['blue']!.pods.least).toBeGreaterThanOrEqual(leastOfBlue);
});
