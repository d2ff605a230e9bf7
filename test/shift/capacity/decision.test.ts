import fc from 'fast-check';
import { decideCapacity } from '../../../lib/shift/capacity/decision';
import type { CapacityView } from '../../../lib/shift/capacity/decision';
import type { Workload } from '../../../lib/shift/capacity/workloads';
import { podsFor } from '../../../lib/shift/engine';
import type { Weights } from '../../../lib/shift/engine';

const workload = (ready: number, minimum: number, most = 1_000): Workload => {
  const place = { namespace: 'shop', name: 'web' };
  return {
    ...place,
    kind: 'deployment',
    id: 'deployment/shop/web',
    ready,
    labels: {},
    selector: {},
    scaler: {
      ...place,
      kind: 'hpa',
      object: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: place },
      state: { minimum, unset: 1 },
      most,
    },
  };
};

const view = (
  origin: Weights,
  next: Weights,
  ready: Readonly<Record<string, number>>,
  raised: CapacityView['raised'] = {},
): CapacityView => ({
  origin,
  next,
  raised,
  workloads: Object.fromEntries(Object.entries(ready).map(([slot, count]) => [slot, [workload(count, 2)]])),
  places: Object.fromEntries(Object.keys(ready).map((slot) => [slot, { context: slot, by: 'me' }])),
  writable: ['hpa'],
  written: new Map(),
});

test.each([
  [20, { blue: 100 }, 25, 5],
  [20, { blue: 100 }, 1, 1],
  [3, { blue: 100 }, 50, 2],
  [20, { blue: 100 }, 0, 0],
  [0, { blue: 100 }, 50, 0],
  [7, { blue: 100 }, 100, 7],
  [50, { blue: 60, green: 40 }, 80, 40],
  [20, { blue: 0 }, 50, 0],
])('%j pods at the origin with %j need for %j %%: %j', (pods, origin, weight, expected) => {
  expect(podsFor(pods, origin, weight)).toBe(expected);
});

const minimumsOf = (given: CapacityView) =>
  Object.fromEntries(
    Object.entries(decideCapacity(given).record).map(([slot, { minimums }]) => [
      slot,
      minimums['deployment/shop/web@hpa'],
    ]),
  );

test.each<[string, Weights, Weights, Readonly<Record<string, number>>, object]>([
  [
    'from one slot to another',
    { blue: 100, green: 0 },
    { blue: 75, green: 25 },
    { blue: 20, green: 2 },
    { blue: [2, 20, 20], green: [2, 0, 5] },
  ],
  [
    'further, where both have some',
    { blue: 60, green: 40 },
    { blue: 20, green: 80 },
    { blue: 12, green: 8 },
    { blue: [2, 12, 12], green: [2, 8, 16] },
  ],
  [
    'a slot that keeps its weight is counted, and left alone',
    { blue: 50, green: 50, red: 0 },
    { blue: 50, green: 0, red: 50 },
    { blue: 10, green: 10, red: 1 },
    { blue: [2, 10, 2], green: [2, 10, 10], red: [2, 0, 10] },
  ],
  [
    'what has enough is not changed',
    { blue: 100, green: 0 },
    { blue: 99, green: 1 },
    { blue: 2, green: 5 },
    { blue: [2, 2, 2] },
  ],
])('%s', (_what, origin, next, ready, expected) => {
  const given = view(origin, next, ready);
  // What was only counted has the same minimum before and after.
  expect(minimumsOf(given)).toEqual(expected);
});

test('what was counted at the origin stays the measure, whatever serves now', () => {
  const first = view({ blue: 100, green: 0 }, { blue: 90, green: 10 }, { blue: 20, green: 2 });
  const { record } = decideCapacity(first);
  const later = view({ blue: 100, green: 0 }, { blue: 0, green: 100 }, { blue: 3, green: 40 }, record);
  expect(minimumsOf(later)).toEqual({ blue: [2, 20, 20], green: [2, 0, 20] });
  expect(decideCapacity(later).needs).toMatchObject([{ slot: 'green', pods: 20 }]);
});

describe('the step after the next one', () => {
  const origin = { blue: 100, green: 0 };
  const given = {
    ...view(origin, { blue: 90, green: 10 }, { blue: 20, green: 2 }),
    ahead: { blue: 75, green: 25 },
  };

  test('its pods are asked for already, and not waited for', () => {
    expect(minimumsOf(given)).toEqual({ blue: [2, 20, 20], green: [2, 0, 5] });
    expect(decideCapacity(given).needs).toMatchObject([{ slot: 'green', pods: 2 }]);
  });

  test('what may not be raised is no problem before its step', () => {
    const { raises, problems } = decideCapacity({ ...given, writable: ['scaledobject'] });
    expect(raises).toEqual([]);
    expect(problems.filter((line) => line.startsWith('green'))).toEqual([]);
  });

  test('a step that gives a slot less than the next one takes nothing away', () => {
    const back = { ...given, next: { blue: 50, green: 50 } };
    expect(minimumsOf(back).green).toEqual([2, 0, 10]);
  });
});

test('a workload that came to the old slot after the count is not held, and measures nothing', () => {
  const first = view({ blue: 100, green: 0 }, { blue: 90, green: 10 }, { blue: 20, green: 2 });
  const { record } = decideCapacity(first);
  const later = view({ blue: 100, green: 0 }, { blue: 50, green: 50 }, { blue: 20, green: 2 }, record);
  const late = { ...workload(9, 1), id: 'deployment/shop/late', name: 'late' };
  const with9 = { ...later, workloads: { ...later.workloads, blue: [...later.workloads.blue!, late] } };
  expect(Object.keys(decideCapacity(with9).record.blue!.minimums)).toEqual(['deployment/shop/web@hpa']);
});

test('wherever the weights go: as many pods a percent as at the origin, no minimum lowered, all on record', () => {
  const weights = (slots: number) =>
    fc
      .array(fc.nat(100), { minLength: slots, maxLength: slots })
      .filter((all) => all.some((each) => each > 0))
      .map((all) => {
        const sum = all.reduce((total, each) => total + each, 0);
        const whole = all.map((each) => Math.floor((each * 100) / sum));
        whole[0]! += 100 - whole.reduce((total, each) => total + each, 0);
        return Object.fromEntries(whole.map((each, index) => [`slot${index}`, each]));
      });
  const pods = (slots: number) =>
    fc
      .array(fc.nat(300), { minLength: slots, maxLength: slots })
      .map((all) => Object.fromEntries(all.map((each, index) => [`slot${index}`, each])));
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 4 }).chain((slots) => fc.tuple(weights(slots), weights(slots), pods(slots))),
      ([origin, next, ready]) => {
        const { needs, raises, record, problems } = decideCapacity(view(origin, next, ready));
        expect(problems).toEqual([]);
        const carried = Object.entries(ready).reduce(
          (sum, [slot, count]) => sum + (origin[slot]! > 0 ? count : 0),
          0,
        );
        for (const { slot, pods: needed } of needs) {
          expect(needed * 100).toBeGreaterThanOrEqual(carried * next[slot]!);
          expect((needed - 1) * 100).toBeLessThan(Math.max(carried * next[slot]!, 1));
        }
        for (const { slot, minimum, mark } of raises) {
          expect(minimum).toBeGreaterThan(2);
          expect(mark).toEqual({ minimum: 2, raised: { me: minimum } });
          expect(record[slot]!.minimums['deployment/shop/web@hpa']).toEqual([2, expect.any(Number), minimum]);
        }
        for (const slot of Object.keys(origin).filter((each) => origin[each]! > next[each]!)) {
          const [, counted, written] = record[slot]!.minimums['deployment/shop/web@hpa']!;
          expect([counted, written]).toEqual([ready[slot], Math.max(2, ready[slot]!)]);
        }
      },
    ),
  );
});

test('a minimum is never raised above the maximum, which the API server would refuse', () => {
  const given = view({ blue: 100, green: 0 }, { blue: 0, green: 100 }, { blue: 20, green: 2 });
  const low = { ...given, workloads: { ...given.workloads, green: [workload(2, 2, 12)] } };
  expect(minimumsOf(low)).toMatchObject({ green: [2, 0, 12] });
  expect(decideCapacity(low).problems).toEqual([
    'green: deployment shop/web: 20 pods needed at 100 %, and maxReplicas of hpa shop/web is 12',
  ]);
});
