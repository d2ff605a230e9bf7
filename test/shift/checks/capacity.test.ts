import { settingsProblems } from '../../../lib/shift/checks';
import * as fc from 'fast-check';
import { capacity, countTargets } from '../../../lib/shift/checks/targets';
import type { TargetCounts } from '../../../lib/shift/evaluation';
import { evaluateCapacity } from '../../../lib/shift/evaluation';
import { contextOf, subject, windowOf } from './health-samples';

const healthy = (count: number, more: Partial<TargetCounts> = {}): TargetCounts => ({
  ...countTargets(Array.from({ length: count }, () => ({ state: 'healthy' }))),
  ...more,
});
const evaluate = (blue: TargetCounts, green: TargetCounts, from: number, to: number, min = 0.8) =>
  evaluateCapacity(
    windowOf({ blue: 100 - from, green: from }, { blue: 100 - to, green: to }),
    { blue, green },
    min,
  );

test.each([
  [
    'two cold pods don’t get half the traffic',
    10,
    2,
    0,
    50,
    'inconclusive',
    /2 healthy targets for 50 %, at least 4/,
  ],
  ['two cold pods may have a fifth of it', 10, 2, 0, 20, 'pass', /at least 2/],
  ['one target is the least', 10, 0, 0, 1, 'inconclusive', /no target is registered for 1 %, at least 1/],
  ['a first percent needs one', 10, 1, 0, 1, 'pass', /at least 1/],
  ['as many as before', 10, 10, 50, 100, 'pass', /blue has 10 and carried 100 %/],
  ['four fifths of it', 10, 8, 50, 100, 'pass', /at least 8/],
  ['less than that', 10, 7, 50, 100, 'inconclusive', /at least 8/],
  [
    'near the end, an old slot that is not scaled down asks no more than at the start',
    10,
    10,
    99,
    100,
    'pass',
    /at least 8/,
  ],
  ['a dead old slot keeps nobody', 0, 3, 10, 100, 'pass', /blue has 0/],
  ['a dead old slot, and no new one', 0, 0, 10, 100, 'inconclusive', /no target/],
])('%s', (_name, blue, green, from, to, status, reason) => {
  const result = evaluate(healthy(blue), healthy(green), from, to);
  expect(result.status).toBe(status);
  expect(result.reason).toMatch(reason);
});

test('the figure is the ratio that is held against the bound', () => {
  expect(evaluate(healthy(10), healthy(2), 0, 50).figures).toEqual([
    { name: 'capacity, relative to the old slots', slot: 'green', value: 0.4, min: 0.8 },
    { name: 'healthy targets', slot: 'green', value: 2, unit: 'count', min: 4 },
  ]);
});

test('a target group that is on no listener is no capacity, whatever it holds', () => {
  const unused = countTargets([{ state: 'unused', reason: 'Target.NotInUse' }]);
  expect(evaluate(healthy(10), unused, 0, 1)).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/listener/),
  });
});

test('old targets of unknown health are no measure', () => {
  const result = evaluate(healthy(2, { undecided: 3 }), healthy(10), 0, 1);
  expect(result).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/^blue: .*no measure/),
  });
});

test('where no slot gives weight to another there is no measure', () => {
  const weights = { blue: 100, green: 0 };
  const result = evaluateCapacity(windowOf(weights, weights), { blue: healthy(1), green: healthy(1) }, 0.8);
  expect(result).toMatchObject({ status: 'inconclusive', figures: [{ value: null }] });
});

test('three slots: both new ones are held against both old ones together', () => {
  const window = windowOf(
    { red: 60, grey: 40, blue: 0, green: 0 },
    { red: 30, grey: 20, blue: 20, green: 30 },
    {
      origin: { red: 60, grey: 40, blue: 0, green: 0 },
    },
  );
  const counts = { red: healthy(15), grey: healthy(5), blue: healthy(4), green: healthy(4) };
  const result = evaluateCapacity(window, counts, 0.8);
  expect(result.status).toBe('inconclusive');
  expect(result.reason).toMatch(
    /blue: 4 healthy targets for 20 %, at least 4 needed; green: 4 .* 30 %, at least 5 needed/,
  );
});

test('a pass means what it says: the ratio is kept, and more targets or less weight never take it away', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.nat({ max: 200 }),
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      (blue, green, to, min) => {
        const passes = evaluate(healthy(blue), healthy(green), 0, to, min).status === 'pass';
        const ratio = green / to / (blue / 100);
        if (Math.abs(ratio - min) > 1e-6) {
          expect(passes).toBe(green > 0 && ratio > min);
        }
        if (passes) {
          expect(evaluate(healthy(blue), healthy(green + 1), 0, to, min).status).toBe('pass');
          expect(evaluate(healthy(blue), healthy(green), 0, Math.max(to - 1, 1), min).status).toBe('pass');
        }
      },
    ),
  );
});

test('the check asks before a step only, and both slots', async () => {
  const asked: string[] = [];
  const check = capacity.kind.create(
    'capacity',
    { min: 0.5 },
    contextOf({
      targetHealth: {
        targets: (arn) => {
          asked.push(arn);
          return Promise.resolve([{ state: 'healthy' }]);
        },
      },
    }),
  );
  expect(check.stages).toEqual(['before']);
  const result = await check.evaluate(windowOf({ blue: 100, green: 0 }, { blue: 50, green: 50 }));
  expect(asked.sort()).toEqual(['arn:blue', 'arn:green']);
  expect(result).toMatchObject({ status: 'pass', figures: [{ value: 2, min: 0.5 }, { min: 1 }] });
  expect(settingsProblems(capacity.kind, { min: 2, max: 1 }, subject).map(({ path }) => path)).toEqual([
    'max',
    'min',
  ]);
});
