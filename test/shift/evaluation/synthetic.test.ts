import type { CheckWindow } from '../../../lib/shift/engine';
import type { KnownCounts, SlotCount } from '../../../lib/shift/evaluation';
import { evaluateBoth, evaluateSynthetic } from '../../../lib/shift/evaluation';
import { Xoshiro128 } from '../../../lib/core/random';
import { binomial } from '../../../lib/shift/simulation/random';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1, 12);
const window: CheckWindow = {
  stage: 'after',
  from: start + 5 * minute,
  to: start + 10 * minute,
  startedAt: start,
  origin: { blue: 100, green: 0 },
  live: { blue: 99, green: 1 },
  wanted: { blue: 0, green: 100 },
  writes: [{ at: start + 5 * minute, weights: { blue: 99, green: 1 } }],
};
const before: CheckWindow = {
  ...window,
  stage: 'before',
  from: start,
  live: { blue: 100, green: 0 },
  next: { blue: 99, green: 1 },
  writes: [],
};
const settings = { alpha: 0.01 };

/** Rounds of fifty pairs, 15 seconds apart, with so many errors each. */
function rounds(number: number, blue: number | ((round: number) => number), green = blue): SlotCount[] {
  const of = (errors: typeof blue, round: number): number =>
    typeof errors === 'number' ? errors : errors(round);
  return Array.from({ length: number }, (_, round) =>
    (['blue', 'green'] as const).map((slot) => ({
      slot,
      at: start + round * 15_000,
      requests: 50,
      errors: of(slot === 'blue' ? blue : green, round),
    })),
  ).flat();
}

const evidence = (pairs: readonly SlotCount[]) => ({ pairs, pairsBefore: 150 });

test.each<[string, readonly SlotCount[], object]>([
  ['nothing sent yet', [], { status: 'inconclusive', reason: 'synthetic: no requests yet' }],
  [
    'too few',
    rounds(2, 0),
    {
      status: 'inconclusive',
      reason: 'synthetic: green: not enough requests, by its error share after 100 requests to each slot',
    },
  ],
  [
    'enough that are well',
    rounds(3, 0),
    {
      status: 'pass',
      reason: 'synthetic: green: no outage so far, by its error share after 150 requests to each slot',
    },
  ],
  [
    'an outage',
    rounds(2, 0, 50),
    {
      status: 'fail',
      reason: 'synthetic: green: regression, by its error share after 100 requests to each slot',
    },
  ],
  ['an outage of half of the requests', rounds(8, 0, 30), { status: 'fail' }],
  ['a few errors of a slot that is cold', rounds(3, 0, 5), { status: 'pass' }],
  [
    'the old slot fails, too',
    rounds(3, 50),
    { status: 'inconclusive', holds: true, reason: 'synthetic: 150 of 150 requests fail at blue, too' },
  ],
])('before the first percent: %s', (_, pairs, expected) => {
  expect(evaluateSynthetic(before, evidence(pairs), settings)).toMatchObject(expected);
});

test('before the first percent, a slot that fails gets no traffic, however few requests are wanted', () => {
  const one = { pairs: rounds(1, 0, 50), pairsBefore: 10 };
  expect(evaluateSynthetic(before, one, settings).status).toBe('inconclusive');
});

test.each<[string, readonly SlotCount[], 'pass' | 'fail' | 'inconclusive']>([
  ['well', rounds(20, 0), 'pass'],
  ['errors of both at the same moments', rounds(60, (round) => (round % 10 === 0 ? 40 : 0)), 'pass'],
  ['one percent more', rounds(80, 0, (round) => round % 2), 'fail'],
  ['within its warm-up only', rounds(4, 0), 'inconclusive'],
])('after a step: %s', (_, pairs, status) => {
  expect(evaluateSynthetic(window, evidence(pairs), settings).status).toBe(status);
});

test('figures are named as what they are, and hold all requests', () => {
  const pairs = rounds(20, 1, 0).map((pair): SlotCount => ({ ...pair, slow: 5 }));
  const { figures } = evaluateSynthetic(window, evidence(pairs), {
    ...settings,
    counted: ['errors', 'slow'],
  });
  expect(figures.map(({ name, slot, value, beside }) => [name, slot, value, beside])).toEqual([
    ['synthetic requests', 'green', 1_000, undefined],
    ['synthetic error share', 'green', 0, { slots: ['blue'], value: 0.02 }],
    ['chance of these synthetic errors without a regression', 'green', 1, undefined],
    ['synthetic share of slow requests', 'green', 0.1, { slots: ['blue'], value: 0.1 }],
    ['chance of these synthetic slow requests without a regression', 'green', expect.any(Number), undefined],
  ]);
  expect(figures[1]!.counts).toEqual({ counted: 0, of: 1_000, what: 'synthetic requests failed' });
});

/** Minutes of visitors. */
const visitors = (requests: number, errors: number): KnownCounts => ({
  counts: Array.from({ length: 8 }, (_, at) => [
    { slot: 'blue', at: start + at * minute, requests: 1_000, errors: 1 },
    ...(at < 5 ? [] : [{ slot: 'green', at: start + at * minute, requests, errors }]),
  ]).flat(),
  until: start + 8 * minute,
  periodMs: minute,
});

test.each<[string, KnownCounts, readonly SlotCount[], 'pass' | 'fail' | 'inconclusive', RegExp]>([
  ['few visitors, own requests well', visitors(1, 0), rounds(20, 0), 'pass', /^visitors: .*; synthetic: /],
  [
    'few visitors, too few own requests',
    visitors(1, 0),
    rounds(2, 0),
    'inconclusive',
    /^visitors: .*; synthetic: /,
  ],
  [
    'enough visitors, too few own requests',
    visitors(1_000, 1),
    rounds(2, 0),
    'inconclusive',
    /^synthetic: green: not enough/,
  ],
  [
    'few visitors, own requests fail',
    visitors(1, 0),
    rounds(80, 0, 1),
    'fail',
    /^synthetic: green: regression/,
  ],
  [
    'visitors fail, own requests are well',
    visitors(1_000, 200),
    rounds(20, 0),
    'fail',
    /^visitors: green: regression/,
  ],
  [
    'both fail',
    visitors(1_000, 200),
    rounds(80, 0, 1),
    'fail',
    /^visitors: green: regression.*; synthetic: green: regression/,
  ],
  [
    'visitors well, old slot does not answer own requests',
    visitors(1_000, 1),
    rounds(20, 50),
    'inconclusive',
    /^synthetic: 1000 of 1000 requests fail at blue/,
  ],
])('the worse one decides: %s', (_, known, pairs, status, reason) => {
  const result = evaluateBoth(window, known, evidence(pairs), settings);
  expect(result).toMatchObject({ status, reason: expect.stringMatching(reason) });
});

test('each has half of alpha', () => {
  const { figures } = evaluateBoth(window, visitors(1_000, 1), evidence(rounds(20, 0)), { alpha: 0.02 });
  expect(figures.flatMap(({ min }) => (min === undefined ? [] : [min]))).toEqual([0.01, 0.01]);
});

test.each([
  ['without errors', 0, 0],
  ['with one percent of errors at both', 0.01, 0.01],
  ['up to the bound', 0.01, 0.012],
])('false alarms, however often one looks, are at most alpha: %s', (_, blue, green) => {
  const random = Xoshiro128.fromSeed(7);
  const runs = 200;
  let alarms = 0;
  for (let run = 0; run < runs; run += 1) {
    const pairs = rounds(80, () => binomial(random, 50, blue), (() => binomial(random, 50, green)) as never);
    alarms += evaluateSynthetic(window, evidence(pairs), { alpha: 0.05 }).status === 'fail' ? 1 : 0;
  }
  // The chance that is reported never goes back, so the last look is all of them.
  expect(alarms).toBeLessThanOrEqual(0.05 * runs);
});
