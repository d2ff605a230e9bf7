import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { schedule, shiftPlan } from '../../lib/shift/engine';
import { readPlan } from '../../lib/shift/plan-file';
import type { Scenario } from '../../lib/shift/simulation';
import { readScenario, simulate } from '../../lib/shift/simulation';
import { scaled } from '../runs';

const folder = resolve(__dirname, '../../examples/shift');
const plan = readPlan(join(folder, 'plan.yaml'));
const shift = shiftPlan(plan.slots, plan.weights, plan.shift);
const scenarios = join(folder, 'scenarios');
const read = (name: string) =>
  readScenario(readFileSync(join(scenarios, `${name}.yaml`), 'utf8'), `${name}.yaml`, plan.slots);
const runs = scaled(60);
const run = (scenario: Scenario) => simulate({ plan: shift, checks: plan.checks, scenario, runs, seed: 1 });

test('the plan goes from 1 % to all of it, in 24 minutes at least', () => {
  const { steps, leastMs } = schedule({ blue: 100, green: 0 }, shift);
  expect(steps.map(({ weights }) => weights.green)).toEqual([1, 2, 5, 10, 25, 50, 100]);
  expect(leastMs).toBe(24 * 60_000);
});

test('every scenario is tried below', () => {
  expect(readdirSync(scenarios).sort()).toEqual(
    [
      ...[
        'autoscaler',
        'flapping-source',
        'healthy',
        'late-outage',
        'latency',
        'no-addresses',
        'one-percent',
        'outage',
      ],
      ...['quiet-night', 'quiet-one-percent', 'quiet-outage'],
    ].map((name) => `${name}.yaml`),
  );
});

test.each(['outage', 'one-percent', 'latency', 'no-addresses'])(
  '%s: is rolled back, before green has more than 5 %%',
  (name) => {
    const { verdicts, detection, durationSeconds, exposedRequests, notSimulated } = run(read(name));
    expect(verdicts.rolledBack).toBeGreaterThanOrEqual(name === 'outage' ? runs : 0.9 * runs);
    expect(detection.runs).toBe(verdicts.rolledBack);
    expect(exposedRequests.p95).toBeLessThan(0.05 * 1000 * durationSeconds.p95);
    expect(notSimulated).toEqual([]);
  },
);

test('late-outage: is rolled back, before green has everything', () => {
  const { verdicts, writes } = run(read('late-outage'));
  expect(verdicts.rolledBack).toBe(runs);
  expect(writes.max).toBeLessThanOrEqual(7);
});

test.each(['healthy', 'flapping-source'])('%s: at most one in twenty is rolled back', (name) => {
  const { verdicts } = run(read(name));
  expect(verdicts.rolledBack).toBeLessThanOrEqual(0.05 * runs);
  expect(verdicts.completed + verdicts.rolledBack).toBe(runs);
});

test('no-addresses: beside the vitals of the clusters, not a request goes to green', () => {
  const withVitals = [...plan.checks, { clusterVitals: {} }];
  const { verdicts, exposedRequests, reasons } = simulate({
    ...{ plan: shift, checks: withVitals, scenario: read('no-addresses'), runs, seed: 1 },
  });
  expect(verdicts.completed).toBe(0);
  expect(exposedRequests.p95).toBe(0);
  expect(Object.values(reasons).join()).toMatch(/green: 40 of 200 pods have no network \(20 %\), blue 0 %\./);
  const leftOut = [...plan.checks, { clusterVitals: { vitals: ['nodes' as const] } }];
  const other = simulate({ plan: shift, checks: leftOut, scenario: read('no-addresses'), runs: 5, seed: 1 });
  expect(other.exposedRequests.p95).toBeGreaterThan(0);
});

test('healthy: the vitals of clusters that are equal hold nothing up', () => {
  const ordinary = { restarts: 0.03, oomKills: 0.01, pendingPods: 0.02, dnsAnswers: 0.01 };
  const slots = { blue: { vitals: ordinary }, green: { vitals: { ...ordinary, restarts: 0.05 } } };
  const { verdicts } = simulate({
    ...{ plan: shift, checks: [...plan.checks, { clusterVitals: {} }], runs: 10, seed: 1 },
    scenario: { ...read('healthy'), slots },
  });
  expect(verdicts.completed).toBe(10);
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

/** The plan whose shift sends requests of its own. */
const quiet = readPlan(join(folder, 'quiet.yaml'));
const runQuiet = (name: string) =>
  simulate({
    ...{ plan: shiftPlan(quiet.slots, quiet.weights, quiet.shift), checks: quiet.checks, runs, seed: 1 },
    scenario: read(name),
  });

test('quiet.yaml differs from plan.yaml in previews and synthetic requests alone', () => {
  const [{ 'cloudWatch.comparison': compared }, ...others] = quiet.checks as any;
  const { synthetic, ...rest } = compared;
  expect([{ 'cloudWatch.comparison': rest }, ...others]).toEqual(plan.checks);
  expect(synthetic).toBeDefined();
  expect(quiet.shift).toEqual(plan.shift);
});

test('quiet.yaml: a healthy shift of a quiet night completes', () => {
  expect(runQuiet('quiet-night').verdicts.completed).toBeGreaterThanOrEqual(0.97 * runs);
});

test('quiet.yaml: an outage is found before the first percent', () => {
  const { verdicts, detection, writes, exposedRequests } = runQuiet('quiet-outage');
  expect(verdicts.rolledBack).toBe(runs);
  expect(detection).toMatchObject({ runs, falseAlarms: 0, undecided: 0, seconds: { p50: 0, p95: 0 } });
  expect([writes.max, exposedRequests.p95]).toEqual([0, 0]);
});

test('quiet.yaml: one percent of errors is found', () => {
  const { verdicts, detection } = runQuiet('quiet-one-percent');
  expect(verdicts.rolledBack).toBeGreaterThanOrEqual(0.9 * runs);
  expect(detection.runs).toBe(verdicts.rolledBack);
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
