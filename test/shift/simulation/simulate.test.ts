import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { ShiftSettings, Weights } from '../../../lib/shift/engine';
import { shiftPlan } from '../../../lib/shift/engine';
import { compareSlots, Comparison } from '../../../lib/shift/evaluation';
import type { CheckOfPlan, Scenario, SlotScenario } from '../../../lib/shift/simulation';
import { simulate } from '../../../lib/shift/simulation';
import { scaled } from '../../runs';
import { highest, lowest, percentiles } from '../../../lib/shift/simulation/percentiles';

/** Of each simulation. */
const runs = scaled(25, 8);
const slots = ['blue', 'green'];
const toGreen: Weights = { blue: 0, green: 100 };
const checks: readonly CheckOfPlan[] = [
  { 'cloudWatch.comparison': { slowAbove: '500ms', alpha: 0.02 } },
  { targetHealth: {} },
  { capacity: {} },
];
const usual: Scenario = {
  requests: { perSecond: 1000 },
  errorShare: 0.001,
  slowShare: 0.05,
  metrics: { delay: '1m' },
};

function run(
  scenario: Partial<Scenario>,
  settings: ShiftSettings = {},
  options: Record<string, unknown> = {},
) {
  return simulate({
    plan: shiftPlan(slots, (options.wanted as Weights | undefined) ?? toGreen, settings),
    checks,
    scenario: { ...usual, ...scenario },
    runs,
    seed: 1,
    ...options,
  });
}

describe('verdicts, with the same checks throughout', () => {
  test.each([
    ['an outage', { slots: { green: { errorShare: 1 } } }],
    [
      'an outage from half of the way on',
      { slots: { green: { changes: [{ from: '10m', errorShare: 1 }] } } },
    ],
    ['one percent more errors', { slots: { green: { errorShare: 0.011 } } }],
    ['twice as many slow requests', { slots: { green: { slowShare: 0.1 } } }],
    [
      'one percent more errors among bursts',
      { bursts: { dispersion: 0.001, persistence: 0.5 }, slots: { green: { errorShare: 0.011 } } },
    ],
    ['a slot that can serve half of the traffic', { slots: { green: { capacity: 500 } } }],
    ['unhealthy targets', { slots: { green: { healthyTargets: 5 } } }],
  ])('%s: always rolled back, in one write, and detected', (_, scenario) => {
    const { verdicts, detection } = run(scenario);
    expect(verdicts).toEqual({ completed: 0, rolledBack: runs, held: 0, aborted: 0 });
    expect(detection).toMatchObject({ runs, falseAlarms: 0, undecided: 0 });
  });

  test.each<[string, SlotScenario, boolean]>([
    ['its pods have no network', { vitals: { podNetworks: 0.2 } }, true],
    ['its nodes fail later', { changes: [{ from: '10m1s', vitals: { nodes: 0.5 } }] }, false],
    ['a target in two is unhealthy', { healthyTargets: 5 }, true],
    ['it has no targets', { targets: 0 }, true],
    ['its targets fail later', { changes: [{ from: '10m1s', healthyTargets: 2 }] }, false],
    ['it answers nothing', { capacity: 0 }, true],
    ['its errors were over when they were seen', { changes: [{ until: '90s', errorShare: 1 }] }, true],
  ])('no false alarm where a check finds what is wrong with the new slot: %s', (_, green, isEarly) => {
    const own = [
      { 'cloudWatch.comparison': { alpha: 0.02, synthetic: { before: '2m' } } },
      { targetHealth: {} },
      { clusterVitals: {} },
    ];
    const { detection, exposedRequests } = run({ slots: { green } }, {}, { checks: own });
    expect(detection).toMatchObject({ runs, falseAlarms: 0, undecided: 0 });
    expect([exposedRequests.p95 === 0, detection.seconds!.p95 === 0]).toEqual([isEarly, isEarly]);
  });

  test('what is wrong with both clusters alike ends no shift', () => {
    const alike = { vitals: { restarts: 0.1 } };
    const both = { slots: { blue: alike, green: alike } };
    expect(run(both, {}, { checks: [{ clusterVitals: {} }] }).verdicts.completed).toBe(runs);
  });

  test.each<[string, Partial<Scenario>]>([
    ['healthy', {}],
    ['bursts, each slot its own', { bursts: { dispersion: 0.001 } }],
    ['bursts that last', { bursts: { dispersion: 0.001, persistence: 0.5 } }],
    ['bursts that hit both slots', { bursts: { dispersion: 0.01, persistence: 0.5, shared: true } }],
    [
      'a cold first minute',
      { slots: { green: { cold: { lasts: '1m', errorShare: 0.05, slowShare: 0.5 } } } },
    ],
    ['a source that fails at times', { metrics: { missing: 0.05, failing: { share: 0.33 } } }],
    ['a router that is throttled at times', { router: { throttled: 0.3, writeTakes: '2s' } }],
  ])('%s: at most 5 %% are rolled back, the others complete', (_, scenario) => {
    const { verdicts, exposedRequests, writes, runs, detection } = run(scenario);
    expect(verdicts.completed).toBeGreaterThanOrEqual(0.95 * runs);
    expect(verdicts.completed + verdicts.rolledBack).toBe(runs);
    expect(detection.falseAlarms + detection.undecided).toBe(verdicts.rolledBack);
    expect(exposedRequests).toEqual({ p50: 0, p95: 0 });
    expect(writes.p50).toBe(7);
  });

  test('a fixed limit of 2 % misses the one percent', () => {
    const scenario = { slots: { green: { errorShare: 0.011 } } };
    const limited = run(scenario, {}, { checks: [{ 'cloudWatch.errorShare': { max: 0.02 } }] });
    expect(limited.verdicts.completed).toBeGreaterThan(0.9 * limited.runs);
    expect(limited.failedRequests.p50).toBeGreaterThan(5 * run(scenario).failedRequests.p50);
  });

  test('too few requests for a verdict: it goes back after the limit', () => {
    const { verdicts, durationSeconds, detection } = run(
      { requests: { perSecond: 0.2 } },
      { inconclusiveLimit: '5m' },
    );
    expect(verdicts.rolledBack).toBe(runs);
    expect(detection).toMatchObject({ runs: 0, falseAlarms: 0, undecided: runs });
    expect(durationSeconds.p50).toBe(120 + 300);
  });

  test('two targets where ten were: it does not get beyond what they can carry', () => {
    const { steps, outcome } = run({ slots: { green: { targets: 2 } } }, { onFailure: 'hold' }, { runs: 1 });
    expect(outcome!.verdict).toBe('held');
    expect(steps!.map(({ weights }) => weights.green)).toEqual([1, 2, 5, 10, 25, 30]);
  });
});

describe('what else goes wrong', () => {
  test('somebody else writes weights: it stops and writes nothing', () => {
    const result = run({ router: { foreignWrite: { at: '3m', weights: { blue: 100 } } } }, {}, { runs: 1 });
    expect(result.verdicts.aborted).toBe(1);
    expect(result.outcome!.reason).toMatch(/Another process changed the weights/);
    expect(result.outcome!.final).toEqual({ blue: 100 });
    expect(result.steps!.map(({ weights }) => weights.green)).toEqual([1]);
  });

  test('somebody else writes weights while a slow write is under way: they stay', () => {
    for (let seconds = 120; seconds < 480; seconds += 15) {
      const foreignWrite = { at: `${seconds}s`, weights: { blue: 70, green: 30 } };
      const { outcome } = run({ router: { writeTakes: '40s', foreignWrite } }, {}, { runs: 1 });
      expect([seconds, outcome!.final]).toEqual([seconds, { blue: 70, green: 30 }]);
    }
  });

  test.each([
    ['hold', 'held', 2],
    ['rollback', 'rolledBack', 0],
  ] as const)('an interrupt: %s', (onInterrupt, verdict, final) => {
    const { outcome, detection } = run({ interrupt: { at: '5m' } }, { onInterrupt }, { runs: 1 });
    expect(outcome!.verdict).toBe(verdict);
    expect(outcome!.final!.green).toBe(final);
    expect(detection.falseAlarms).toBe(0);
  });

  test('a kill for good: the weights stay', () => {
    const { verdicts, outcome } = run({ kill: { at: '5m' } }, {}, { runs: 1 });
    expect(verdicts.aborted).toBe(1);
    expect(outcome).toMatchObject({ final: { green: 2 }, reason: expect.stringMatching(/killed/) });
  });

  test.each(['1m', '4m', '9m', '20m'])(
    'a kill at %s and a new run: it ends where it would have ended',
    (at) => {
      const kill = { at, resumesAfter: '2m' };
      const { outcome, writes } = run({ kill }, {}, { runs: 1 });
      expect(outcome!.verdict).toBe('completed');
      expect(writes.max).toBe(7);
      const bad = run(
        { kill, slots: { green: { changes: [{ from: at, errorShare: 1 }] } } },
        {},
        { runs: 1 },
      );
      expect(bad.outcome).toMatchObject({ verdict: 'rolledBack', final: { blue: 100, green: 0 } });
    },
  );

  test('a deadline: it goes back', () => {
    const { verdicts, durationSeconds } = run({}, { deadline: '10m' });
    expect(verdicts.rolledBack).toBe(runs);
    expect(durationSeconds.p95).toBe(600);
  });
});

describe('the result', () => {
  const outage = { slots: { green: { errorShare: 1 } } };

  test('has what is documented', () => {
    const result = run(outage);
    expect(Object.keys(result)).toEqual([
      'schemaVersion',
      'runs',
      'seed',
      'verdicts',
      'reasons',
      'exposedRequests',
      'failedRequests',
      'writes',
      'durationSeconds',
      'detection',
      'notSimulated',
    ]);
    expect(result).toMatchObject({ schemaVersion: 1, runs, seed: 1, writes: { p50: 2, max: 2 } });
    const { exposedRequests, failedRequests, durationSeconds, detection } = result;
    // One percent of 1,000 requests a second, all of which fail.
    expect(failedRequests).toEqual(exposedRequests);
    expect(exposedRequests.p50 / (10 * durationSeconds.p50)).toBeCloseTo(1, 1);
    expect(detection.exposedRequests).toEqual(exposedRequests);
    expect(detection.seconds).toEqual(durationSeconds);
  });

  test('is the same for the same seed', () => {
    const bursts = { dispersion: 0.002, persistence: 0.5 };
    const scenario = { slots: { green: { errorShare: 0.004, slowShare: 0.06 } }, bursts };
    expect(run(scenario)).toEqual(run(scenario));
    expect(run(scenario)).not.toEqual(run(scenario, {}, { seed: 2 }));
  });

  test('of one run has the steps, and an outcome for a report', () => {
    const { steps, outcome } = run(outage, {}, { runs: 1 });
    expect(steps).toMatchObject([
      { atSeconds: 0, weights: { blue: 99, green: 1 }, rollback: false },
      { weights: { blue: 100, green: 0 }, rollback: true, checks: [] },
    ]);
    expect(steps![0]!.checks.map(({ name, status }) => [name, status])).toEqual([
      ['cloudWatch.comparison', 'fail'],
      ['targetHealth', 'pass'],
      ['capacity', 'pass'],
    ]);
    expect(outcome).toMatchObject({
      schemaVersion: 1,
      verdict: 'rolledBack',
      from: { blue: 100, green: 0 },
      to: toGreen,
      final: { blue: 100, green: 0 },
      writes: [{ weights: { green: 1 } }, { weights: { green: 0 }, rollback: true }],
    });
    expect(outcome!.checks.at(-1)!.at <= outcome!.endedAt).toBe(true);
    expect(outcome!.log.length).toBeGreaterThan(2);
    expect(new Date(outcome!.endedAt).getTime() - new Date(outcome!.startedAt).getTime()).toBe(
      steps![1]!.atSeconds * 1000,
    );
  });

  test('names checks that it could not simulate', () => {
    const others: CheckOfPlan[] = [
      { program: { command: ['true'] } },
      { argoApplications: { name: 'apps' } },
      { program: { command: ['false'] } },
      { 'datadog.errorShare': { max: 0.02, errors: 'x', requests: 'y' } },
    ];
    const { notSimulated, verdicts } = run({}, {}, { checks: others });
    expect(notSimulated).toEqual(['program', 'apps', 'program 2']);
    expect(verdicts.completed).toBe(runs);
  });

  test('starts where the scenario says, and else with everything on the first slot that is not to get it all', () => {
    const firstOf = (scenario: Partial<Scenario>, wanted: Weights) =>
      run(scenario, { step: 50 }, { wanted, runs: 1, checks: [] }).outcome!.from;
    expect(firstOf({}, { blue: 90, green: 10 })).toEqual({ blue: 100, green: 0 });
    expect(firstOf({}, { blue: 100, green: 0 })).toEqual({ blue: 0, green: 100 });
    expect(firstOf({ live: { blue: 60, green: 40 } }, toGreen)).toEqual({ blue: 60, green: 40 });
  });

  test('percentiles are of the runs in order', () => {
    expect(percentiles(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({ p50: 50, p95: 95 });
    expect(percentiles([7])).toEqual({ p50: 7, p95: 7 });
  });
});

test('figures that come bit by bit are compared as all at once', () => {
  const minute = 60_000;
  const share = fc.constantFrom(0, 0.001, 0.01, 0.5);
  const minutes = fc.array(fc.tuple(fc.nat(500), fc.nat(500), share, share), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(minutes, fc.nat(10), fc.nat(15), (rows, from, warm) => {
      const counts = rows.flatMap(([blue, green, failing, slow], index) => [
        { slot: 'blue', at: index * minute, requests: blue, errors: Math.round(blue * 0.01), slow: 0 },
        {
          slot: 'green',
          at: index * minute,
          requests: green,
          errors: Math.round(green * failing),
          slow: Math.round(green * slow),
        },
      ]);
      const question = {
        gaining: ['green'],
        baseline: ['blue'],
        from: from * minute,
        warmUntil: { green: warm * minute },
      };
      const settings = { counted: ['errors', 'slow'] as const };
      const comparison = new Comparison(question, settings);
      for (let index = 0; index < rows.length; index += 1) {
        comparison.add(counts.slice(2 * index, 2 * index + 2));
        expect(comparison.slots).toEqual(compareSlots(counts.slice(0, 2 * index + 2), question, settings));
      }
    }),
    { numRuns: 50 },
  );
});

test('bad runs, seeds and scenarios: all problems at once', () => {
  const bad = () =>
    simulate({
      plan: shiftPlan(slots, toGreen),
      scenario: { requests: { perSecond: -1 }, slots: { red: {} } },
      runs: 0,
      seed: -1,
    });
  expect(bad).toThrow(InvalidInput);
  expect(bad).toThrow(/runs: 0: must be a whole number[^]*seed: -1[^]*scenario\.requests\.perSecond: -1/);
});

test('a million runs have a highest and a lowest figure', () => {
  const figures = Array.from({ length: 1_000_000 }, (_, index) => index);
  expect([highest(figures), lowest(figures)]).toEqual([999_999, 0]);
});
