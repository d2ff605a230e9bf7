import fc from 'fast-check';
import type { Weights } from '../../../lib/shift/engine';
import { shiftPlan, stepsBetween } from '../../../lib/shift/engine';

const names = ['blue', 'green', 'red', 'white', 'black'];

/** Whole percents that add up to 100. */
function weightsOf(slots: number): fc.Arbitrary<Weights> {
  return fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: slots - 1, maxLength: slots - 1 })
    .map((cuts) => {
      const ends = [0, ...cuts.sort((one, other) => one - other), 100];
      return Object.fromEntries(
        names.slice(0, slots).map((slot, index) => [slot, ends[index + 1]! - ends[index]!]),
      );
    });
}

const journeys = fc.integer({ min: 2, max: 5 }).chain((slots) =>
  fc.record({
    slots: fc.constant(names.slice(0, slots)),
    live: weightsOf(slots),
    wanted: weightsOf(slots),
    step: fc.oneof(
      fc.integer({ min: 1, max: 100 }),
      fc.constant('geometric' as const),
      fc
        .uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 })
        .map((places) => places.sort((a, b) => a - b)),
    ),
  }),
);

function green(
  step: number | number[] | 'geometric',
  from: number,
  to: number,
  firstStep?: number,
): number[] {
  const plan = shiftPlan(
    ['blue', 'green'],
    { blue: 100 - to, green: to },
    { step, ...(firstStep ? { firstStep } : {}) },
  );
  return stepsBetween({ blue: 100 - from, green: from }, plan).map((weights) => weights.green!);
}

describe('steps', () => {
  test.each([
    ['equal steps', 10, 0, 100, undefined, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]],
    ['a small first step', 10, 0, 100, 1, [1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100]],
    ['a first step that is the whole', 10, 0, 100, 100, [100]],
    ['a step that does not divide the way', 40, 0, 100, undefined, [40, 80, 100]],
    ['a list, with its end added', [5, 20, 50], 0, 100, undefined, [5, 20, 50, 100]],
    ['geometric', 'geometric', 0, 100, undefined, [1, 2, 5, 10, 25, 50, 100]],
    ['to a weight that is held', 'geometric', 0, 10, undefined, [1, 3, 5, 10]],
    ['from the live weights, not from zero', 50, 40, 100, undefined, [70, 100]],
    ['backwards', 50, 100, 0, undefined, [50, 0]],
    ['already there', 10, 30, 30, undefined, []],
    ['one percent', 'geometric', 0, 1, undefined, [1]],
  ] as [string, number | number[] | 'geometric', number, number, number | undefined, number[]][])(
    '%s',
    (_case, step, from, to, firstStep, expected) => {
      expect(green(step, from, to, firstStep)).toEqual(expected);
    },
  );

  test('several clusters move together, in proportion', () => {
    const plan = shiftPlan(['blue', 'green', 'red'], { green: 60, red: 40 }, { step: 50 });
    expect(stepsBetween({ blue: 100, green: 0, red: 0 }, plan)).toEqual([
      { blue: 50, green: 30, red: 20 },
      { blue: 0, green: 60, red: 40 },
    ]);
  });

  test('slots that the live weights leave out have nothing', () => {
    const plan = shiftPlan(['blue', 'green'], { green: 100 }, { step: 100 });
    expect(stepsBetween({ blue: 100 }, plan)).toEqual([{ blue: 0, green: 100 }]);
  });

  test('add up to 100, go only forwards, end at the wanted weights and repeat nothing', () => {
    fc.assert(
      fc.property(journeys, ({ slots, live, wanted, step }) => {
        const plan = shiftPlan(slots, wanted, { step });
        let before = live;
        const wrong: string[] = [];
        for (const weights of stepsBetween(live, plan)) {
          const say = (what: string) => wrong.push(`${what}: ${JSON.stringify(weights)}`);
          if (Object.values(weights).reduce((sum, weight) => sum + weight) !== 100) {
            say('does not add up');
          }
          for (const slot of slots) {
            const towards = Math.sign(wanted[slot]! - live[slot]!);
            if (!Number.isInteger(weights[slot]) || (towards === 0 && weights[slot] !== live[slot])) {
              say(`${slot} must not move`);
            }
            if (
              towards * (weights[slot]! - before[slot]!) < 0 ||
              towards * (wanted[slot]! - weights[slot]!) < 0
            ) {
              say(`${slot} goes backwards or too far`);
            }
          }
          if (slots.every((slot) => weights[slot] === before[slot])) {
            say('repeats');
          }
          before = weights;
        }
        expect(wrong).toEqual([]);
        expect(before).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  test('stay near the exact shares', () => {
    fc.assert(
      fc.property(journeys, ({ slots, live, wanted }) => {
        const plan = shiftPlan(slots, wanted, { step: [37] });
        const moved = slots.reduce((sum, slot) => sum + Math.max(0, wanted[slot]! - live[slot]!), 0);
        fc.pre(Math.round(moved * 0.37) > 0 && moved > 1);
        const [first] = stepsBetween(live, plan);
        for (const slot of slots) {
          expect(Math.abs(first![slot]! - (live[slot]! + (wanted[slot]! - live[slot]!) * 0.37))).toBeLessThan(
            1.5,
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});
