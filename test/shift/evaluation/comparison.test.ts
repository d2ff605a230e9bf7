import fc from 'fast-check';
import type { CheckWindow } from '../../../lib/shift/engine';
import type { ComparisonQuestion, KnownCounts, SlotCount } from '../../../lib/shift/evaluation';
import {
  compareSlots,
  comparisonCheck,
  evaluateComparison,
  evaluateShares,
  shareCheck,
} from '../../../lib/shift/evaluation';
import { Baseline, entering, Wealth } from '../../../lib/shift/evaluation/evidence';
import { Dice, minute, start } from './comparison-traffic';

function count(slot: string, at: number, requests: number, errors: number, slow = 0): SlotCount {
  return { slot, at: start + at * minute, requests, errors, slow };
}

/** Minutes of blue beside green, from `at` on. */
function beside(minutes: number, blue: [number, number], green: [number, number], at = 0): SlotCount[] {
  return Array.from({ length: minutes }, (_none, index) => [
    count('blue', at + index, ...blue),
    count('green', at + index, ...green),
  ]).flat();
}

const question: ComparisonQuestion = { gaining: ['green'], baseline: ['blue'], from: start, warmUntil: {} };

const verdicts = (counts: readonly SlotCount[], settings = {}, asked = question) =>
  compareSlots(counts, asked, settings).map(({ slot, counted, verdict }) => `${slot} ${counted}: ${verdict}`);

describe('bets', () => {
  test('what enters adds up to the whole', () => {
    const sum = Array.from({ length: 100_000 }, (_none, index) => entering(index + 1)).reduce(
      (a, b) => a + b,
    );
    expect(sum).toBeGreaterThan(0.9999);
    expect(sum).toBeLessThanOrEqual(1);
  });

  // Shares with a mean that is just no regression: whatever their distribution, money does not grow on average.
  test.each([
    ['independent requests', 0, 600],
    ['few requests', 0, 5],
    ['bursts', 0.01, 600],
    ['strong bursts', 0.2, 60_000],
  ])('%s: money bet does not grow on average', (_name, correlation, requests) => {
    const dice = new Dice(7);
    const bound = 0.03;
    const dispersion = (correlation * (1 - bound)) / bound;
    const runs = 6_000;
    let sum = 0;
    for (let run = 0; run < runs; run += 1) {
      const wealth = new Wealth();
      for (let period = 0; period < 3; period += 1) {
        const counted = dice.binomial(requests, dice.share(bound, correlation));
        wealth.bet({ gaining: { requests, counted }, bound, dispersion });
      }
      sum += wealth.now;
    }
    expect(sum / runs).toBeLessThan(1.05);
    expect(sum / runs).toBeGreaterThan(0.3);
  });

  test('the inverse of the share of the old slots is not too large on average', () => {
    const dice = new Dice(11);
    const runs = 6_000;
    let sum = 0;
    for (let run = 0; run < runs; run += 1) {
      const baseline = new Baseline();
      baseline.add({ requests: 40, counted: dice.binomial(40, 0.05) });
      sum += 0.05 / baseline.share;
    }
    expect(sum / runs).toBeLessThanOrEqual(1.02);
  });

  test('the dispersion of the old slots is that of their shares, without that of requests', () => {
    const dice = new Dice(13);
    const steady = new Baseline();
    const bursty = new Baseline();
    for (let period = 0; period < 2000; period += 1) {
      steady.add({ requests: 1000, counted: dice.binomial(1000, 0.05) });
      bursty.add({ requests: 1000, counted: dice.binomial(1000, dice.share(0.05, 0.01)) });
    }
    expect(steady.dispersion).toBeLessThan(0.02);
    // Variance of the share 0.01 x 0.05 x 0.95, over the square of the share.
    expect(bursty.dispersion).toBeCloseTo(0.19, 1);
  });
});

describe('compareSlots', () => {
  const hour = Array.from({ length: 30 }, (_none, index) => count('blue', -30 + index, 60_000, 60));

  test.each<[string, SlotCount[], string]>([
    ['healthy', beside(10, [59_400, 59], [600, 1]), 'no regression so far'],
    ['an outage of one minute', beside(1, [59_400, 59], [600, 600]), 'regression'],
    ['an outage of both', beside(10, [59_400, 59_400], [600, 600]), 'no regression so far'],
    ['a burst of one minute', beside(1, [59_400, 59], [600, 60]), 'no regression so far'],
    ['half a percent more than the bound', beside(10, [30_000, 30], [30_000, 240]), 'regression'],
    ['less than what matters', beside(60, [30_000, 30], [30_000, 75]), 'no regression so far'],
    ['better than the old one', beside(60, [30_000, 3000], [30_000, 30]), 'no regression so far'],
    ['four requests that all fail', beside(4, [1000, 1], [1, 1]), 'regression'],
    ['few requests', beside(4, [1000, 1], [5, 0]), 'not enough requests'],
    ['no request at all', beside(4, [1000, 1], [0, 0]), 'not enough requests'],
    ['nothing', [], 'not enough requests'],
  ])('%s', (_name, counts, verdict) => {
    expect(verdicts([...hour, ...counts])).toEqual([`green errors: ${verdict}`]);
  });

  test('a fault after a long good time is seen, too', () => {
    const good = beside(120, [30_000, 30], [30_000, 30]);
    const bad = beside(3, [30_000, 30], [30_000, 30_000], 120);
    expect(verdicts([...hour, ...good, ...bad])).toEqual(['green errors: regression']);
  });

  test('what was seen once stays seen, so that a look decides nothing by its time', () => {
    const bad = beside(2, [30_000, 30], [30_000, 30_000]);
    const good = beside(60, [30_000, 30], [30_000, 30], 2);
    expect(verdicts([...hour, ...bad, ...good])).toEqual(['green errors: regression']);
  });

  test('without any figures of the old slots, nothing is a regression', () => {
    expect(verdicts(beside(5, [0, 0], [600, 600]))).toEqual(['green errors: not enough requests']);
  });

  test('old figures stand in where the old slots have no traffic any more', () => {
    expect(verdicts([...hour, ...beside(1, [0, 0], [60_000, 50_000])])).toEqual(['green errors: regression']);
    expect(verdicts([...hour, ...beside(9, [0, 0], [60_000, 60])])).toEqual([
      'green errors: no regression so far',
    ]);
  });

  test('in the warm-up, only an outage counts', () => {
    const cold = { ...question, warmUntil: { green: start + 2 * minute } };
    const shares = [0.3, 0.49, 0.51, 1].map((share) =>
      verdicts([...hour, ...beside(2, [30_000, 30], [600, 600 * share])], {}, cold).join(),
    );
    expect(shares).toEqual([
      'green errors: not enough requests',
      'green errors: not enough requests',
      'green errors: regression',
      'green errors: regression',
    ]);
    const slow = [count('green', 0, 600, 0, 600), count('green', 1, 600, 0, 600)];
    expect(verdicts([...hour, ...slow], { counted: ['slow'] }, cold)).toEqual([
      'green slow: not enough requests',
    ]);
  });

  test('alpha is shared by slots and by what is counted', () => {
    const three = { ...question, gaining: ['green', 'red'] };
    const compared = compareSlots(hour, three, { alpha: 0.04, counted: ['errors', 'slow'] });
    expect(compared.map(({ slot, counted, alpha }) => [slot, counted, alpha])).toEqual([
      ['green', 'errors', 0.01],
      ['green', 'slow', 0.01],
      ['red', 'errors', 0.01],
      ['red', 'slow', 0.01],
    ]);
  });

  test('only the slot that is bad has a regression', () => {
    const counts = beside(5, [30_000, 30], [600, 600]).concat(
      Array.from({ length: 5 }, (_none, index) => count('red', index, 600, 1)),
    );
    const three = { ...question, gaining: ['green', 'red'] };
    expect(verdicts([...hour, ...counts], {}, three)).toEqual([
      'green errors: regression',
      'red errors: no regression so far',
    ]);
  });

  const anyCount = fc.record({
    slot: fc.constantFrom('blue', 'green', 'red'),
    at: fc.integer({ min: -5, max: 30 }).map((at) => start + at * minute),
    requests: fc.integer({ min: 0, max: 100_000 }),
    errors: fc.integer({ min: -3, max: 100_000 }),
    slow: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
  });

  test('the order of the counts does not matter, and any counts have an answer', () => {
    fc.assert(
      fc.property(fc.array(anyCount, { maxLength: 60 }), fc.integer(), (counts, seed) => {
        const dice = new Dice(seed);
        const mixed = counts
          .map((one) => ({ one, key: dice.uniform() }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const asked = { ...question, baseline: ['blue', 'red'] };
        const [plain] = compareSlots(counts, asked);
        const [shuffled] = compareSlots(mixed, asked);
        expect(plain!.chance).toBeGreaterThanOrEqual(0);
        expect(plain!.chance).toBeLessThanOrEqual(1);
        expect(shuffled!.chance).toBeCloseTo(plain!.chance, 9);
      }),
    );
  });

  test('more time never takes a regression back', () => {
    fc.assert(
      fc.property(fc.array(anyCount, { maxLength: 60 }), fc.integer({ min: 0, max: 30 }), (counts, until) => {
        const before = counts.filter(({ at }) => at < start + until * minute);
        const [early] = compareSlots(before, question);
        const [late] = compareSlots(counts, question);
        expect(late!.chance).toBeLessThanOrEqual(early!.chance + 1e-12);
      }),
    );
  });
});

const window: CheckWindow = {
  stage: 'after',
  from: start,
  to: start + 2 * minute,
  startedAt: start,
  origin: { blue: 100, green: 0 },
  live: { blue: 90, green: 10 },
  wanted: { blue: 0, green: 100 },
  writes: [{ at: start, weights: { blue: 90, green: 10 } }],
};

function known(counts: readonly SlotCount[], minutes: number): KnownCounts {
  return { counts, until: start + minutes * minute, periodMs: minute };
}

describe('evaluateComparison', () => {
  test.each<[string, SlotCount[], number, Partial<CheckWindow>, object, string]>([
    ['good', beside(3, [900, 1], [100, 0]), 3, {}, {}, 'pass'],
    ['no whole minute yet', [], 0, {}, {}, 'inconclusive'],
    ['no whole minute yet, but no figures fail', [], 0, {}, { onNoData: 'fail' }, 'inconclusive'],
    ['too few requests', beside(3, [900, 1], [3, 0]), 3, {}, {}, 'inconclusive'],
    ['too few requests, which pass', beside(3, [900, 1], [3, 0]), 3, {}, { onNoData: 'pass' }, 'pass'],
    ['too few requests, which fail', beside(3, [900, 1], [3, 0]), 3, {}, { onNoData: 'fail' }, 'fail'],
    ['bad from the first period on', beside(1, [9000, 9], [1000, 1000]), 1, {}, {}, 'fail'],
    [
      'bad before the last write',
      beside(2, [9000, 9], [1000, 1000]),
      2,
      { from: start + 2 * minute },
      {},
      'fail',
    ],
    [
      'good, but no request since the last write',
      beside(2, [900, 1], [100, 0]),
      4,
      { from: start + 3 * minute },
      {},
      'inconclusive',
    ],
    [
      'nothing gains weight',
      beside(3, [900, 1], [100, 90]),
      3,
      { wanted: { blue: 100, green: 0 } },
      {},
      'pass',
    ],
    ['it has no weight yet', beside(3, [900, 1], [0, 0]), 3, { live: { blue: 100, green: 0 } }, {}, 'pass'],
  ])('%s', (_name, counts, minutes, change, settings, status) => {
    const result = evaluateComparison({ ...window, ...change }, known(counts, minutes), {
      warmUpMs: 0,
      ...settings,
    });
    expect([result.status, result.reason]).toEqual([status, result.reason]);
    expect(result.reason).not.toBe('');
  });

  test('an earlier run of the shift counts, and the warm-up begins with the first weight', () => {
    const resumed = {
      ...window,
      startedAt: start + 9 * minute,
      from: start + 9 * minute,
      to: start + 11 * minute,
    };
    const counts = beside(11, [9000, 9], [1000, 300]);
    expect(evaluateComparison(resumed, known(counts, 11)).status).toBe('fail');
    const later = { ...resumed, writes: [{ at: start + 10 * minute, weights: { blue: 90, green: 10 } }] };
    expect(evaluateComparison(later, known(counts, 11)).status).toBe('inconclusive');
  });

  test('a slot that had traffic before is not cold', () => {
    const origin = { blue: 95, green: 5 };
    const history = Array.from({ length: 9 }, (_none, index) => count('blue', -9 + index, 9000, 9));
    const counts = [
      ...history,
      ...beside(1, [9000, 9], [1000, 400]),
      ...beside(1, [9000, 9], [1000, 400], 1),
    ];
    const cold = { warmUpMs: 10 * minute };
    expect(evaluateComparison({ ...window, origin }, known(counts, 2), cold).status).toBe('fail');
    expect(evaluateComparison(window, known(counts, 2), cold).status).not.toBe('fail');
  });

  test('an outage in the warm-up has its counts in the figures', () => {
    const { status, figures } = evaluateComparison(window, known(beside(1, [9000, 9], [600, 600]), 1), {
      warmUpMs: 10 * minute,
    });
    expect([status, figures[0]]).toEqual([
      'fail',
      expect.objectContaining({ value: 1, counts: { counted: 600, of: 600, what: 'requests failed' } }),
    ]);
  });

  test('says what was compared with what', () => {
    const counts = beside(3, [9000, 9], [1000, 1000]);
    const { reason, figures } = evaluateComparison(window, known(counts, 3), { warmUpMs: 0 });
    expect(reason).toBe('green: regression, by its error share after 3000 requests');
    expect(figures).toEqual([
      {
        ...{ name: 'error share', slot: 'green', value: 1, unit: 'share', failed: true },
        counts: { counted: 3000, of: 3000, what: 'requests failed' },
        beside: { slots: ['blue'], value: 0.001 },
      },
      expect.objectContaining({ slot: 'green', unit: 'share', min: 0.01 }),
    ]);
    expect(figures[1]!.value).toBeLessThan(0.001);
  });
});

describe('evaluateShares', () => {
  const max = 0.01;
  test.each<[string, SlotCount[], number, Partial<CheckWindow>, object, string]>([
    ['at the limit', beside(2, [900, 0], [100, 1]), 2, {}, {}, 'pass'],
    ['above it', beside(2, [900, 0], [100, 2]), 2, {}, {}, 'fail'],
    ['only the old slot is above it', beside(2, [900, 900], [100, 0]), 2, {}, {}, 'pass'],
    [
      'the old slot is above it, and was asked for',
      beside(2, [900, 900], [100, 0]),
      2,
      {},
      { slots: ['blue'] },
      'fail',
    ],
    ['too few requests, all bad', beside(2, [900, 0], [10, 10]), 2, {}, {}, 'inconclusive'],
    ['too few requests that pass', beside(2, [900, 0], [10, 10]), 2, {}, { onNoData: 'pass' }, 'pass'],
    ['too few requests that fail', beside(2, [900, 0], [10, 0]), 2, {}, { onNoData: 'fail' }, 'fail'],
    [
      'no whole minute yet',
      beside(2, [900, 0], [100, 40]),
      1,
      { from: start + 1 },
      { onNoData: 'fail' },
      'inconclusive',
    ],
    [
      'an outage in the minute of the write',
      beside(1, [900, 0], [100, 50]),
      1,
      { from: start + 1 },
      {},
      'fail',
    ],
    [
      'an outage in the minute of the write, by too few requests',
      beside(1, [900, 0], [99, 99]),
      1,
      { from: start + 1 },
      {},
      'inconclusive',
    ],
    [
      'all of them slow in the minute of the write: cold',
      [count('green', 0, 500, 0, 500)],
      1,
      { from: start + 1 },
      { counted: 'slow' },
      'inconclusive',
    ],
    [
      'an outage from before the shift, of a slot that had traffic',
      beside(1, [900, 0], [100, 100]),
      1,
      {
        from: start + 1,
        startedAt: start + 1,
        origin: { blue: 90, green: 10 },
        live: { blue: 80, green: 20 },
        writes: [],
      },
      {},
      'inconclusive',
    ],
    [
      'bad before the weights changed',
      beside(2, [900, 0], [900, 900]).concat(beside(2, [900, 0], [900, 0], 2)),
      4,
      { from: start + 2 * minute },
      {},
      'pass',
    ],
    [
      'bad longer ago than it looks',
      beside(2, [900, 0], [900, 900]).concat(beside(9, [900, 0], [900, 0], 2)),
      11,
      {},
      {},
      'pass',
    ],
    [
      'bad, and it looks far back',
      beside(2, [900, 0], [900, 900]).concat(beside(9, [900, 0], [900, 0], 2)),
      11,
      {},
      { overMs: 20 * minute },
      'fail',
    ],
    ['slow requests', [count('green', 0, 500, 0, 50)], 1, {}, { counted: 'slow' }, 'fail'],
    [
      'nothing gains weight, so all are judged',
      beside(2, [900, 900], [100, 0]),
      2,
      { wanted: { blue: 90, green: 10 }, origin: { blue: 90, green: 10 } },
      {},
      'fail',
    ],
    [
      'its slot has no weight',
      beside(2, [900, 0], [100, 100]),
      2,
      { live: { blue: 100, green: 0 } },
      {},
      'pass',
    ],
  ])('%s', (_name, counts, minutes, change, settings, status) => {
    const result = evaluateShares({ ...window, ...change }, known(counts, minutes), { max, ...settings });
    expect([result.status, result.reason]).toEqual([status, result.reason]);
  });

  test('an outage in the minute of the write has its counts in the figures', () => {
    const counts = [count('blue', 0, 900, 9), count('green', 0, 500, 400)];
    const { status, figures } = evaluateShares({ ...window, from: start + 1 }, known(counts, 1), { max });
    expect([status, figures[0]]).toEqual([
      'fail',
      expect.objectContaining({
        value: 0.8,
        counts: { counted: 400, of: 500, what: 'requests failed' },
        beside: { slots: ['blue'], value: 0.01 },
      }),
    ]);
  });

  test('gives the figures with their limits', () => {
    const { reason, figures } = evaluateShares(window, known(beside(2, [900, 0], [100, 2]), 2), { max });
    expect(reason).toBe('green: error share above the limit over 200 requests');
    expect(figures).toEqual([
      {
        ...{ name: 'error share', slot: 'green', value: 0.02, unit: 'share', max },
        counts: { counted: 4, of: 200, what: 'requests failed' },
        beside: { slots: ['blue'], value: 0 },
      },
      { name: 'requests', slot: 'green', value: 200, unit: 'count', min: 100 },
    ]);
  });
});

test('settings that are no bound are refused, all at once', () => {
  const source = { counts: () => Promise.reject(new Error('not asked')) };
  expect(() => shareCheck('errors', source, { max: 5, overMs: '5m', slots: [1], maxx: 1 } as never)).toThrow(
    [
      'shareCheck: 4 problems',
      '  maxx: unknown key, did you mean "max"?; known keys: minRequests, onNoData, counted, max, overMs, slots',
      '  max: 5: must be a share from 0 to 1',
      '  overMs: "5m": must be a number of milliseconds, at least 0',
      '  slots[0]: 1: must be the name of a slot',
    ].join('\n'),
  );
  const wrong = {
    alpha: 0.5,
    regression: { absolute: '1%', ratio: 0.5 },
    counted: ['all'],
    onNoData: 'hold',
  };
  expect(() => comparisonCheck('all', source, wrong as never)).toThrow(
    [
      'comparisonCheck: 5 problems',
      '  onNoData: "hold": must be one of "inconclusive", "fail", "pass"',
      '  alpha: 0.5: must be a chance above 0 and below 0.5',
      '  regression.absolute: "1%": must be a share from 0 to 1',
      '  regression.ratio: 0.5: must be a number, at least 1',
      '  counted[0]: "all": must be one of "errors", "slow"',
    ].join('\n'),
  );
  expect(shareCheck('errors', source, { max: 0.1, overMs: Infinity }).name).toBe('errors');
});
