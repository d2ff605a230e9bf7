import { formatRoundedDuration, formatFigure, formatWeights } from '../../../lib/shift/engine';

test.each([
  [
    { name: 'error share', slot: 'green', value: 0.01234, unit: 'share', max: 0.01 },
    'error share of green 1.234 % (at most 1 %)',
  ],
  [
    { name: 'latency', value: 0.25, unit: 'seconds', min: 0, max: 1 },
    'latency 0.25 s (at least 0 s, at most 1 s)',
  ],
  [
    { name: 'requests', slot: 'blue', value: null, unit: 'count', min: 200 },
    'requests of blue unknown (at least 200)',
  ],
  [{ name: 'rate', value: 12.34567, unit: 'perSecond' }, 'rate 12.35/s'],
  [{ name: 'load', value: 1 / 3 }, 'load 0.3333'],
] as const)('a figure reads as a person would say it: %j', (figure, text) => {
  expect(formatFigure(figure)).toBe(text);
});

test('weights and durations are short', () => {
  expect(formatWeights({ blue: 90, green: 10 })).toBe('blue 90, green 10');
  expect([0, 250, 90_400, 3_600_000].map(formatRoundedDuration)).toEqual(['0s', '250ms', '1m30s', '1h']);
});
