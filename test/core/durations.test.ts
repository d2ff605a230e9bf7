import * as fc from 'fast-check';
import { formatDuration, parseDuration } from '../../lib/core/durations';
import { goDuration } from '../../lib/core/validation/formats';

test.each<[string, number]>([
  ['0', 0],
  ['0s', 0],
  ['2160h', 2160 * 3_600_000],
  ['1h30m', 5_400_000],
  ['30m1h', 5_400_000],
  ['1m1m', 120_000],
  ['1.5s', 1_500],
  ['.5m', 30_000],
  ['1.h', 3_600_000],
  ['250ms', 250],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['2000000ns', 2],
  ['2562047h', 2562047 * 3_600_000],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
  expect(goDuration.accepts(text)).toBe(true);
});

test.each([
  '',
  ' ',
  '1',
  '90',
  '1d',
  '1 h',
  '-1h',
  '+1h',
  'h',
  '.h',
  '1h30',
  '1H',
  '1h ',
  '1,5h',
  '2562048h',
  'NaNh',
])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
  expect(goDuration.accepts(text)).toBe(false);
});

test('what is no text is no duration', () => {
  expect(goDuration.accepts(3_600)).toBe(false);
  expect(goDuration.accepts(undefined)).toBe(false);
});

test.each<[number, string]>([
  [0, '0s'],
  [1, '1ms'],
  [1_500, '1s500ms'],
  [5_400_000, '1h30m'],
  [2160 * 3_600_000, '2160h'],
])('%d ms are written %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([-1, 0.5, NaN, Infinity, 2 ** 60])('%d ms can not be written', (milliseconds) => {
  expect(() => formatDuration(milliseconds)).toThrow(RangeError);
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9_000_000_000_000 }), (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
    }),
  );
});

test('terms add up in any order', () => {
  const units = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  const term = fc.tuple(fc.nat({ max: 9_999 }), fc.constantFrom('h', 'm', 's', 'ms'));
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 6 }), (terms) => {
      const text = terms.map(([amount, unit]) => `${amount}${unit}`).join('');
      const sum = terms.reduce((total, [amount, unit]) => total + amount * units[unit as 'h'], 0);
      expect(parseDuration(text)).toBe(sum);
    }),
  );
});
