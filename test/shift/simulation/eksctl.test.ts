import type { CourierApply } from '../../../bench/shift-courier';
import { courierApply } from '../../../bench/shift-courier';
import { Xoshiro128 } from '../../../lib/core/random';

/** Green's weights as written, each row of equal ones together, and how often each. */
function apply(options: Partial<CourierApply> & { bad?: (atMs: number) => boolean }) {
  const rows: { weight: number; times: number; atMs: number }[] = [];
  const random = Xoshiro128.fromSeed(7);
  const { bad, ...rest } = options;
  const end = courierApply({
    destinations: [0, 100],
    exists: true,
    stepWeight: 10,
    stepIntervalMs: 1000,
    callsPerSecond: 200,
    random: () => random.uniform(),
    ...(bad ? { analyse: (atMs: number) => !bad(atMs) } : {}),
    ...rest,
    write: (atMs, [, weight], times) => {
      if (rows.at(-1)?.weight === weight) {
        rows.at(-1)!.times += times;
      } else {
        rows.push({ weight, times, atMs });
      }
    },
  });
  const writes = rows.reduce((sum, { times }) => sum + times, 0);
  const zeros = rows.filter(({ weight }) => weight === 0).map(({ times }) => times);
  return { end, rows, writes, zeros, weights: rows.map(({ weight }) => weight), last: rows.at(-1)?.weight };
}

const upTo91 = [1, 11, 21, 31, 41, 51, 61, 71, 81, 91];
const from = (first: number, last: number, step: number) =>
  Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step);
/** With a row of zeros before each. */
const afterZeros = (weights: readonly number[]) => weights.flatMap((weight) => [0, weight]);

describe('the model writes what was measured of eksctl_courier_alb', () => {
  test('normal, step 10 every 1 s: 11 writes, 1 to 100', () => {
    const { weights, writes, end } = apply({});
    expect(weights).toEqual([...upTo91, 100]);
    expect(writes).toBe(11);
    expect(end).toEqual({ atMs: 11_000, killed: false });
  });

  test.each([
    [155, 166],
    [278, 289],
  ])(
    'bad from the start: 1 to 91, %i zeros, 100, as many writes in all as %i',
    (callsPerSecond, measured) => {
      const { weights, writes, last, end } = apply({ bad: () => true, callsPerSecond });
      expect(weights).toEqual([...upTo91, 0, 100]);
      expect(Math.abs(writes - measured)).toBeLessThanOrEqual(5);
      expect(last).toBe(100);
      expect(end.failedAtMs).toBe(10_000);
    },
  );

  test('step 5 every 2 s, bad at 12 s: 1 to 46, zeros before every further step, 4,069 writes, 100', () => {
    const { weights, writes, zeros, last } = apply({
      stepWeight: 5,
      stepIntervalMs: 2000,
      bad: (atMs) => atMs >= 12_000,
      callsPerSecond: 184,
    });
    expect(weights).toEqual([...from(1, 46, 5), ...afterZeros([...from(51, 96, 5), 100])]);
    expect(Math.abs(writes / 4069 - 1)).toBeLessThan(0.02);
    // Measured: 269 to 462 zeros in a row.
    expect(zeros.every((times) => times >= 269 && times <= 462)).toBe(true);
    expect(last).toBe(100);
  });

  test('step 10 every 10 s, bad at 35 s: 1 to 31, zeros before every further step, 10,295 writes, 100', () => {
    const { weights, writes, zeros, last } = apply({
      stepIntervalMs: 10_000,
      bad: (atMs) => atMs >= 35_000,
      callsPerSecond: 147,
    });
    expect(weights).toEqual([1, 11, 21, 31, ...afterZeros([...from(41, 91, 10), 100])]);
    expect(Math.abs(writes / 10_295 - 1)).toBeLessThan(0.02);
    expect(Math.abs(zeros[0]! / 1451 - 1)).toBeLessThan(0.05);
    expect(last).toBe(100);
  });

  test('bad for one poll only: the same pattern', () => {
    const { weights, last } = apply({ stepIntervalMs: 10_000, bad: (atMs) => atMs === 40_000 });
    expect(weights).toEqual([1, 11, 21, 31, ...afterZeros([...from(41, 91, 10), 100])]);
    expect(last).toBe(100);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('one %s at 41: goes on to 100', (signal) => {
    const { weights, writes } = apply({ signals: [{ atMs: 5500, signal }] });
    expect(weights).toEqual([...upTo91, 100]);
    expect(writes).toBe(11);
  });

  test.each([
    ['two SIGINT', [5300, 5500].map((atMs) => ({ atMs, signal: 'SIGINT' as const }))],
    ['SIGKILL', [{ atMs: 5500, signal: 'SIGKILL' as const }]],
  ])('%s at 41: stops there, and the next apply starts again at 1', (_, signals) => {
    const { weights, end } = apply({ signals });
    expect(weights).toEqual([1, 11, 21, 31, 41]);
    expect(end).toEqual({ atMs: 5500, killed: true });
    expect(apply({}).weights[0]).toBe(1);
  });

  test('two applies at once: their writes mix', () => {
    const later = apply({}).rows.map((row) => ({ ...row, atMs: row.atMs + 4500 }));
    const both = [...apply({}).rows, ...later].sort((one, other) => one.atMs - other.atMs);
    expect(both.map(({ weight }) => weight).slice(0, 9)).toEqual([1, 11, 21, 31, 41, 1, 51, 11, 61]);
    expect(both.at(-1)!.weight).toBe(100);
  });

  test('wanted blue 10, green 90: ends at 0/100', () => {
    expect(apply({ destinations: [10, 90] }).weights).toEqual([...upTo91, 100]);
  });

  test.each([
    ['wanted blue 90, green 10', [90, 10] as const],
    ['only the step changed on a rule at 100/0', [100, 0] as const],
  ])('%s: 99, 89, … 9, 0', (_, destinations) => {
    const { weights, writes } = apply({ destinations });
    expect(weights).toEqual([99, 89, 79, 69, 59, 49, 39, 29, 19, 9, 0]);
    expect(writes).toBe(11);
  });

  test('first create: the wanted weights at once', () => {
    const { rows } = apply({ exists: false, destinations: [10, 90] });
    expect(rows).toEqual([{ weight: 90, times: 1, atMs: 0 }]);
  });

  test('3,700 requests of 1,000 a second reach the bad cluster until detection', () => {
    const { rows, end } = apply({ bad: () => true });
    const until = (index: number) => Math.min(rows[index + 1]?.atMs ?? Infinity, end.failedAtMs!);
    const requests = rows
      .filter(({ atMs }) => atMs < end.failedAtMs!)
      .reduce(
        (sum, { weight, atMs }, index) => sum + ((until(index) - atMs) / 1000) * (weight / 100) * 1000,
        0,
      );
    expect(Math.round(requests / 100) * 100).toBe(3700);
  });
});

test('a next step of exactly 100 is the one way out of its loop, and leaves the weight where it was', () => {
  const { weights } = apply({ stepWeight: 11, stepIntervalMs: 1100, bad: () => true });
  expect(weights).toEqual([1, 12, 23, 34, 45, 56, 67, 78, 89]);
});
