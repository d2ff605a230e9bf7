import { shiftPlan } from '../../../lib/shift/engine';
import type { Scenario } from '../../../lib/shift/simulation';
import { simulate } from '../../../lib/shift/simulation';

const slots = ['blue', 'green'];
const plan = shiftPlan(slots, { blue: 0, green: 100 }, { step: [10, 50], every: '2m', bake: '2m' });
const comparison = (synthetic?: object) => [
  { 'cloudWatch.comparison': { alpha: 0.02, ...(synthetic && { synthetic }) } },
];
const quiet: Scenario = { requests: { perSecond: 0.2 }, errorShare: 0.001 };
const runs = 20;
const run = (scenario: Partial<Scenario>, synthetic: object | undefined = {}, count = runs) =>
  simulate({ plan, checks: comparison(synthetic), scenario: { ...quiet, ...scenario }, runs: count });

test('without requests of its own, a quiet shift is rolled back', () => {
  expect(simulate({ plan, checks: comparison(), scenario: quiet, runs }).verdicts.rolledBack).toBe(runs);
});

test.each<[string, Partial<Scenario>]>([
  ['nothing is wrong', {}],
  ['a third of what it sends is lost on the way', { synthetic: { lost: 0.33 } }],
  ['it is killed and run again, and measures anew', { kill: { at: '3m', resumesAfter: '1m' } }],
  ['green is cold at first', { slots: { green: { cold: { lasts: '50s', errorShare: 0.2 } } } }],
])('with them it completes where %s', (_, scenario) => {
  expect(run(scenario).verdicts.completed).toBe(runs);
});

test('where nothing of what it sends comes back, it says so and takes nothing of it for a fault of green', () => {
  const { verdicts, reasons, writes } = run({ synthetic: { lost: 1 } });
  expect(verdicts).toMatchObject({ held: runs });
  expect(reasons.held).toMatch(/synthetic: \d+ of \d+ requests fail at blue, too/);
  expect(writes.max).toBe(0);
});

test.each<[string, Partial<Scenario>, object]>([
  ['at once', { slots: { green: { errorShare: 1 } } }, {}],
  ['at a low rate', { slots: { green: { errorShare: 1 } } }, { rate: 1, before: '1m' }],
  ['with one round before', { slots: { green: { errorShare: 1 } } }, { rate: 10, before: '10s' }],
  ['in short rounds', { slots: { green: { errorShare: 1 } } }, { rate: 10, before: '10s', round: '2s' }],
  ['of a slot without capacity', { slots: { green: { capacity: 0 } } }, {}],
  ['of a slot without pods', { slots: { green: { errorShare: 0.7, targets: 0 } } }, {}],
])('an outage is found before the first percent: %s', (_, scenario, synthetic) => {
  const { verdicts, writes, exposedRequests } = run(scenario, synthetic);
  expect([verdicts.rolledBack, writes.max, exposedRequests.p95]).toEqual([runs, 0, 0]);
});

test('an outage after a kill is found anew', () => {
  const scenario: Partial<Scenario> = {
    kill: { at: '3m', resumesAfter: '1m' },
    slots: { green: { changes: [{ from: '3m', errorShare: 1 }] } },
  };
  expect(run(scenario).verdicts.rolledBack).toBe(runs);
});

test('visitors meet the same whatever the shift sends', () => {
  const scenario: Scenario = { ...quiet, requests: { perSecond: 500 } };
  const slow = (rate: number) =>
    simulate({ plan, checks: comparison({ rate, before: '0s' }), scenario, runs: 1 }).outcome!.writes;
  expect(slow(1)).toEqual(slow(50));
});

test('what it sends is named as synthetic in the record of its checks', () => {
  const { outcome } = run({}, {}, 1);
  const figures = new Set(outcome!.checks.flatMap((check) => check.figures.map(({ name }) => name)));
  expect([...figures]).toEqual(
    expect.arrayContaining(['error share', 'synthetic error share', 'synthetic requests']),
  );
  expect(outcome!.checks.every(({ reason }) => /^(visitors|synthetic)/.test(reason))).toBe(true);
});
