import fc from 'fast-check';
import { nearestPercents, noWholePercents, wholePercents } from '../../../lib/shift/routers/live-weights';

test.each<[Record<string, number>, Record<string, number> | undefined]>([
  [
    { blue: 100, green: 0 },
    { blue: 100, green: 0 },
  ],
  [
    { blue: 1, green: 9 },
    { blue: 10, green: 90 },
  ],
  [
    { blue: 500, green: 500 },
    { blue: 50, green: 50 },
  ],
  [
    { blue: 1, green: 0 },
    { blue: 100, green: 0 },
  ],
  [
    { a: 50, b: 50, c: 50, d: 50, e: 50 },
    { a: 20, b: 20, c: 20, d: 20, e: 20 },
  ],
  [{ blue: 1, green: 2 }, undefined],
  [{ blue: 999, green: 1 }, undefined],
  [{ blue: 0, green: 0 }, undefined],
])('%j in whole percents is %j', (raw, expected) => {
  expect(wholePercents(raw)).toEqual(expected);
});

const raws = fc
  .array(fc.integer({ min: 0, max: 999 }), { minLength: 2, maxLength: 5 })
  .filter((weights) => weights.some((weight) => weight > 0))
  .map((weights) => Object.fromEntries(weights.map((weight, index) => [`slot-${index}`, weight])));

test('the nearest percents add up to 100, and none is a whole percent away', () => {
  fc.assert(
    fc.property(raws, (raw) => {
      const sum = Object.values(raw).reduce((all, weight) => all + weight, 0);
      const nearest = nearestPercents(raw);
      expect(Object.values(nearest).reduce((all, weight) => all + weight, 0)).toBe(100);
      for (const [slot, weight] of Object.entries(raw)) {
        expect(Math.abs(nearest[slot]! - (weight * 100) / sum)).toBeLessThan(1);
      }
    }),
  );
});

test('whole percents on any scale are read exactly, and are the nearest ones', () => {
  const percent = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(percent, percent, fc.integer({ min: 1, max: 9 }), (one, other, scale) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const percents = { blue: low, green: high - low, red: 100 - high };
      const raw = { blue: percents.blue * scale, green: percents.green * scale, red: percents.red * scale };
      expect(wholePercents(raw)).toEqual(percents);
      expect(nearestPercents(raw)).toEqual(percents);
    }),
  );
});

test('weights that are no whole percents: what they are, and what to set', () => {
  expect(noWholePercents({ blue: 1, green: 2 }, 'never')).toBe(
    'the live weights blue 1, green 2 are no whole percents (blue 33.33 %, green 66.67 %), and a shift moves in whole ' +
      'percents; set them once to blue 33, green 67, which moves 0.33 % of the traffic, and begin again',
  );
  expect(noWholePercents({ blue: 0, green: 0 }, 'every weight is 0')).toMatch(
    /^every weight is 0; set the weights to/,
  );
});
