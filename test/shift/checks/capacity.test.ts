import { settingsProblems } from '../../../lib/shift/checks';
import * as fc from 'fast-check';
import { capacity, countTargets } from '../../../lib/shift/checks/targets';
import type { CheckWindow } from '../../../lib/shift/engine';
import type { TargetCounts } from '../../../lib/shift/evaluation';
import { evaluateCapacity } from '../../../lib/shift/evaluation';
import { contextOf, subject, windowOf } from './health-samples';

const healthy = (count: number, more: Partial<TargetCounts> = {}): TargetCounts => ({
  ...countTargets(Array.from({ length: count }, () => ({ state: 'healthy' }))),
  ...more,
});

/** Green goes from one weight to another, while blue and green have so many healthy targets. */
const evaluate = (
  blue: TargetCounts,
  green: TargetCounts,
  [from, to]: readonly [number, number],
  more: Partial<CheckWindow> = {},
  maxLoad = 1.5,
) =>
  evaluateCapacity(
    windowOf({ blue: 100 - from, green: from }, { blue: 100 - to, green: to }, more),
    { blue, green },
    maxLoad,
    300_000,
  );

test.each<[string, number, number, readonly [number, number], string, number | undefined, RegExp]>([
  [
    'two cold pods get what they can carry',
    10,
    2,
    [0, 50],
    'pass',
    30,
    /2 healthy targets for 50 %, enough for 30 %/,
  ],
  [
    'and no more once they have it',
    10,
    2,
    [30, 50],
    'inconclusive',
    undefined,
    /enough for 30 %: waits for more/,
  ],
  ['two of a hundred', 100, 2, [0, 50], 'pass', 3, /enough for 3 %; blue had 100 and carried 100 %/],
  [
    'two of five hundred are too few for a percent',
    500,
    2,
    [0, 1],
    'inconclusive',
    undefined,
    /enough for 0 %/,
  ],
  ['none', 10, 0, [0, 1], 'inconclusive', undefined, /no target is registered/],
  ['one for a first percent', 10, 1, [0, 1], 'pass', undefined, /1 healthy target for 1 %, enough for 15 %/],
  ['as many as before', 10, 10, [50, 100], 'pass', undefined, /enough for 100 %/],
  ['two thirds of it', 9, 6, [50, 100], 'pass', undefined, /enough for 100 %/],
  ['less than that', 10, 6, [50, 100], 'pass', 90, /enough for 90 %/],
  ['a dead old slot holds nothing back', 0, 3, [10, 100], 'pass', undefined, /blue had 0/],
  ['a dead old slot, and no new one', 0, 0, [10, 100], 'inconclusive', undefined, /no target/],
])('%s', (_name, blue, green, weights, status, upTo, reason) => {
  const result = evaluate(healthy(blue), healthy(green), weights);
  expect(result).toMatchObject({ status, reason: expect.stringMatching(reason), holds: true });
  expect(result.upTo).toEqual(upTo === undefined ? undefined : { green: upTo });
});

describe('the measure is of the origin', () => {
  const shrunk = { baseline: { blue: 20, green: 2 } };

  test('an old slot that an autoscaler has taken down asks no less', () => {
    const result = evaluate(healthy(4), healthy(6), [20, 100], shrunk);
    expect(result).toMatchObject({ status: 'pass', upTo: { green: 45 } });
    expect(result.reason).toMatch(/blue had 20 and carried 100 %/);
    // Without the count of then, six targets would do for everything.
    expect(evaluate(healthy(4), healthy(6), [20, 100])).toMatchObject({ status: 'pass' });
    expect(evaluate(healthy(4), healthy(6), [20, 100]).upTo).toBeUndefined();
  });

  test('what it measures is kept, of every slot', () => {
    expect(evaluate(healthy(20), healthy(2), [0, 1]).baseline).toEqual({ blue: 20, green: 2 });
  });

  test('a rollback says what is left of the old slot', () => {
    const note = 'blue has 4 healthy targets now; it had 20 when it carried 100 %.';
    expect(evaluate(healthy(4), healthy(6), [20, 100], shrunk).rollbackNote).toBe(note);
    expect(evaluate(healthy(20), healthy(6), [20, 100], shrunk).rollbackNote).toBeUndefined();
  });

  test('old targets of unknown health are no measure, unless they were counted before', () => {
    const unclear = healthy(2, { undecided: 3 });
    const result = evaluate(unclear, healthy(10), [0, 1]);
    expect(result).toMatchObject({
      status: 'inconclusive',
      reason: expect.stringMatching(/^blue: .*no measure/),
    });
    expect(result.baseline).toBeUndefined();
    expect(evaluate(unclear, healthy(10), [10, 20], shrunk).status).toBe('pass');
  });
});

describe('an autoscaler that adds nothing', () => {
  const at = 1_000_000_000;
  const after = (ms: number) => ({ from: at - ms, to: at });

  test.each<[string, number, number, number, readonly [number, number], object]>([
    ['has had no time yet', 3, 1, 299_999, [50, 100], { status: 'inconclusive' }],
    ['can add none: its targets are full', 30, 10, 600_000, [50, 100], { status: 'inconclusive' }],
    [
      'may be content: three targets could be two and a bit',
      3,
      1,
      600_000,
      [50, 100],
      { upTo: { green: 55 } },
    ],
    ['has let targets get fuller than it aims at', 100, 3, 600_000, [4, 5], { status: 'inconclusive' }],
    [
      'sees no need at one percent: one more',
      100,
      1,
      300_000,
      [1, 5],
      { status: 'pass', upTo: { green: 2 } },
    ],
    ['sees no need at two', 200, 4, 300_000, [2, 5], { status: 'pass', upTo: { green: 3 } }],
    ['would need three times as many for that', 140, 1, 300_000, [1, 5], { status: 'inconclusive' }],
    [
      'has no say where targets are twice as full as before',
      10,
      2,
      300_000,
      [40, 50],
      { status: 'inconclusive' },
    ],
    ['has no say while the slot has no traffic', 500, 2, 300_000, [0, 1], { status: 'inconclusive' }],
  ])('%s', (_name, blue, green, ms, weights, expected) => {
    expect(evaluate(healthy(blue), healthy(green), weights, after(ms))).toMatchObject(expected);
  });

  test('targets on their way are some', () => {
    const starting = healthy(1, { undecided: 1 });
    expect(evaluate(healthy(3), starting, [50, 100], after(600_000)).status).toBe('inconclusive');
  });
});

describe('a step that would be a small one', () => {
  const at = 1_000_000_000;
  const after = (ms: number) => ({ from: at - ms, to: at });

  test.each<[string, number, readonly [number, number], number, object]>([
    ['waits for targets', 4, [50, 100], 120_000, { status: 'inconclusive' }],
    ['but no longer than they take to come', 4, [50, 100], 300_000, { status: 'pass', upTo: { green: 60 } }],
    ['is none from a quarter more on', 4, [48, 100], 120_000, { status: 'pass', upTo: { green: 60 } }],
    ['is one below that', 4, [49, 100], 120_000, { status: 'inconclusive' }],
    ['may be what the plan says', 4, [50, 55], 120_000, { status: 'pass' }],
  ])('%s', (_name, green, weights, ms, expected) => {
    const result = evaluate(healthy(10), healthy(green), weights, after(ms));
    expect(result).toMatchObject(expected);
    expect(result.upTo).toEqual((expected as { upTo?: object }).upTo);
  });

  test('is smaller where targets may get less', () => {
    const of = (live: number) => evaluate(healthy(10), healthy(5), [live, 100], after(120_000), 1.2).status;
    expect([of(54), of(55)]).toEqual(['pass', 'inconclusive']);
  });
});

test('the figure is the load that is held against the bound', () => {
  expect(evaluate(healthy(10), healthy(2), [0, 50]).figures).toEqual([
    { name: 'load of a target, relative to before the shift', slot: 'green', value: 2.5, max: 1.5 },
    { name: 'healthy targets', slot: 'green', value: 2, unit: 'count' },
  ]);
});

test('of live weights it says what there is, and never fails', () => {
  const live = { stage: 'after', next: undefined } as const;
  expect(evaluate(healthy(10), healthy(0), [50, 50], live)).toMatchObject({ status: 'pass' });
  expect(evaluate(healthy(10), healthy(1), [90, 90], live).upTo).toBeUndefined();
});

test('a target group that is on no listener is no capacity, whatever it holds', () => {
  const unused = countTargets([{ state: 'unused', reason: 'Target.NotInUse' }]);
  expect(evaluate(healthy(10), unused, [0, 1])).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/listener/),
  });
});

test('where no slot gives weight to another there is no measure', () => {
  const weights = { blue: 100, green: 0 };
  const result = evaluateCapacity(
    windowOf(weights, weights),
    { blue: healthy(1), green: healthy(1) },
    1.5,
    300_000,
  );
  expect(result).toMatchObject({ status: 'inconclusive', figures: [{ value: null }] });
});

test('three slots: both new ones are held against both old ones together', () => {
  const origin = { red: 60, grey: 40, blue: 0, green: 0 };
  const window = windowOf(origin, { red: 30, grey: 20, blue: 20, green: 30 }, { origin });
  const counts = { red: healthy(15), grey: healthy(5), blue: healthy(4), green: healthy(3) };
  const result = evaluateCapacity(window, counts, 1.5, 300_000);
  expect(result).toMatchObject({ status: 'pass', upTo: { green: 22 } });
  expect(result.upTo).not.toHaveProperty('blue');
  expect(result.reason).toMatch(/blue: 4 .* 20 %, enough for 30 %; green: 3 .* 30 %, enough for 22 %/);
});

test('a pass means what it says: the bound is kept, and more targets or less weight never take it away', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.nat({ max: 500 }),
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0.5, max: 3, noNaN: true }),
      (blue, green, to, maxLoad) => {
        const of = (targets: number, weight: number) =>
          evaluate(healthy(blue), healthy(targets), [0, weight], {}, maxLoad);
        const { status, upTo } = of(green, to);
        if (status === 'pass') {
          const given = upTo?.['green'] ?? to;
          expect((given * blue) / 100 / green).toBeLessThanOrEqual(maxLoad + 1e-6);
          expect(of(green + 1, to).status).toBe('pass');
          expect(of(green, Math.max(to - 1, 1)).status).toBe('pass');
        } else {
          expect((maxLoad * green * 100) / blue).toBeLessThan(1 + 1e-6);
        }
      },
    ),
  );
});

test('the check asks about both slots', async () => {
  const asked: string[] = [];
  const check = capacity.kind.create(
    'capacity',
    { maxLoad: 1, follow: '1m' },
    contextOf({
      targetHealth: {
        targets: (arn) => {
          asked.push(arn);
          return Promise.resolve([{ state: 'healthy' }]);
        },
      },
    }),
  );
  expect(check.stages).toEqual(['before', 'after']);
  const result = await check.evaluate(windowOf({ blue: 100, green: 0 }, { blue: 50, green: 50 }));
  expect(asked.sort()).toEqual(['arn:blue', 'arn:green']);
  expect(result).toMatchObject({ status: 'pass', figures: [{ value: 0.5, max: 1 }, { value: 1 }] });
  expect(
    settingsProblems(capacity.kind, { maxLoad: 0, min: 1, follow: '0s' }, subject).map(({ path }) => path),
  ).toEqual(['min', 'maxLoad', 'follow']);
});
