import { equalWeights, assumedLiveWeights } from '../../../lib/shift/engine';

test.each([
  [{ green: 100 }, { blue: 100, green: 0 }],
  [{ blue: 100 }, { blue: 0, green: 100 }],
  [
    { blue: 50, green: 50 },
    { blue: 100, green: 0 },
  ],
])('before %j, %j are taken to be live', (wanted, live) => {
  expect(assumedLiveWeights(['blue', 'green'], wanted as Record<string, number>)).toEqual(live);
});

test.each([
  [{ blue: 90, green: 10 }, { green: 10, blue: 90 }, true],
  [{ blue: 100 }, { blue: 100, green: 0 }, true],
  [{ blue: 100, green: 0 }, { blue: 100 }, true],
  [{ constructor: 0, blue: 100 }, { blue: 100 }, true],
  [{}, {}, true],
  [{ blue: 90, green: 10 }, { blue: 90 }, false],
  [{ blue: 90 }, { blue: 90, green: 10 }, false],
  [{ blue: 90, green: 10 }, { blue: 10, green: 90 }, false],
] as const)('%j and %j are equal: %p', (one, other, expected) => {
  expect(equalWeights(one as Record<string, number>, other as Record<string, number>)).toBe(expected);
});
